// Bruck's allgather, in ceil(lg p) rounds for any p, towards either side: at level l rank r sends
// min(2^l, p - 2^l) blocks, all that it has or all that is missing, to the rank at distance 2^l.
// The blocks are gathered in a scratch vector, and put in their places by a copy at the end, free
// unless copies are priced.
#pragma once

#include <algorithm>
#include <optional>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti {

enum class Towards : std::uint8_t {
  higher,  // r to r + 2^l, which has the blocks up to its own then
  lower,   // r to r - 2^l, which has the blocks from its own on then
};

[[nodiscard]] inline std::optional<double> bruck_allgather_s(const Problem& problem,
                                                             const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) * prices.alpha_s + (p - 1) / p * n * prices.beta_s_per_byte +
         (n / p + n) * prices.copy_s_per_byte;
}

inline void emit_bruck_allgather(ScheduleBuilder& builder, Towards side) {
  const std::uint32_t p = builder.ranks();
  if (p == 1) {
    return;
  }
  const std::size_t levels = ceil_log2(p);
  builder.reserve((levels + 2) * p, (4 * levels + 3) * p);
  Rounds rounds(builder);
  for (const Rank rank : rounds.emitted_ranks()) {
    rounds.copy_first(rank, {{rank, 1}, kWork, kScratch});
  }
  for (std::uint32_t distance = 1; distance < p; distance *= 2) {
    rounds.next();
    const std::uint32_t count = std::min(distance, p - distance);
    for (const Rank rank : rounds.emitted_ranks()) {
      // Of the blocks that the rank has, the receiver lacks those nearest to the rank's own.
      const Rank first = side == Towards::lower ? rank : (rank + 1 + p - count) % p;
      const Rank to = (rank + (side == Towards::lower ? p - distance : distance)) % p;
      rounds.comm(rank, to, {{first, count}, kScratch, kScratch});
    }
  }
  for (const Rank rank : rounds.emitted_ranks()) {
    rounds.copy(rank, {{0, p}, kScratch, kWork});
  }
}

}  // namespace tutti
