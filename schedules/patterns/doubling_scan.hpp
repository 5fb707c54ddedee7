// Scans by recursive doubling: at level l, partners whose numbers differ in bit l exchange the sums
// of their groups of 2^l ranks. A rank combines the sum of a lower partner with its result and with
// the sum of its group. It combines the sum of a higher partner only with the sum of its group, not
// with its result. A rank without a partner skips the level, because its result covers no higher
// ranks.
//
// The sum of the group is in scratch slot 0; received data go to slot 1.
#pragma once

#include <cstddef>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules {

// Determines whether the result of a rank leaves out or includes the rank's own contribution.
enum class Own : bool { left_out, taken };

inline void emit_doubling_scan(ScheduleBuilder& builder, Own own) {
  const std::uint32_t p = builder.ranks();
  if (p == 1) {
    return;
  }
  constexpr Place kSum{Buffer::scratch, 0};
  constexpr Place kIncoming{Buffer::scratch, 1};
  constexpr BlockSet kWhole{0, 1};
  std::size_t messages = 0;
  std::size_t lower = 0;  // number of messages that come from a lower partner
  for (std::uint32_t distance = 1; distance < p; distance *= 2) {
    for (Rank rank = 0; rank < p; ++rank) {
      if ((rank ^ distance) < p) {
        ++messages;
        lower += (rank & distance) != 0 ? 1 : 0;
      }
    }
  }
  builder.reserve(p + 2 * messages + lower, p + 9 * messages);
  Rounds rounds(builder);
  for (Rank rank = 0; rank < p; ++rank) {
    rounds.copy_first(rank, {kWhole, kInput, kSum});
  }
  std::vector<bool> has_result(p, own == Own::taken);
  for (std::uint32_t distance = 1; distance < p; distance *= 2) {
    rounds.next();
    for (Rank rank = 0; rank < p; ++rank) {
      if ((rank ^ distance) < p) {
        rounds.comm(rank, rank ^ distance, {kWhole, kSum, kIncoming});
      }
    }
    for (Rank rank = 0; rank < p; ++rank) {
      const Rank partner = rank ^ distance;
      if (partner >= p) {
        continue;
      }
      rounds.reduce(rank, {kWhole, kIncoming, kSum},
                    partner < rank ? Operand::left : Operand::right, rounds.sent(rank));
      if (partner < rank && has_result[rank]) {
        rounds.reduce_at_end(rank, {kWhole, kIncoming, kWork}, Operand::left);
      } else if (partner < rank) {
        rounds.copy(rank, {kWhole, kIncoming, kWork});
        has_result[rank] = true;
      }
    }
  }
}

}}  // namespace tutti::schedules
