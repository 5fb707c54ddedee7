// Bruck's allgather: at level l rank r sends min(2^l, p - 2^l) blocks, all that it has or all that
// is missing, to rank r + 2^l; for any p. The blocks are gathered in a scratch vector that rank r
// reads from its own block on, and put in their places by a copy at the end, free unless copies are
// priced.
//
// Source: Bruck et al., "Efficient algorithms for all-to-all communications in multiport
// message-passing systems", IEEE TPDS 8(11), 1997; [schedule document] ("Bruck"), whose direction
// this is: from n to n + 2^l.
#include <algorithm>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) * prices.alpha_s + (p - 1) / p * n * prices.beta_s_per_byte +
         (n / p + n) * prices.copy_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
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
      // Of the blocks rank - distance + 1 to rank, the receiver lacks the nearest ones.
      const std::uint32_t first = rank + 1 >= count ? rank + 1 - count : rank + 1 + p - count;
      rounds.comm(rank, (rank + distance) % p, {{first, count}, kScratch, kScratch});
    }
  }
  for (const Rank rank : rounds.emitted_ranks()) {
    rounds.copy(rank, {{0, p}, kScratch, kWork});
  }
}

}  // namespace

extern const Algorithm bruck{
    .collective = Collective::allgather,
    .name = "bruck",
    .idea = "at level l rank r sends all that it has, 2^l blocks, to rank r + 2^l",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; [schedule document]",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
};

}  // namespace tutti::allgather
