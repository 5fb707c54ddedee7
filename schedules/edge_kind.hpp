// What a dependency is for, derived from the blocks that its two operations touch.
#pragma once

#include <cstdint>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

enum class EdgeKind : std::uint8_t {
  data,    // the later operation reads what the earlier one wrote
  buffer,  // the later operation overwrites what the earlier one read or wrote
  // Order only: neither touches what the other one writes. Without it the time changes; the result
  // does not, unless the order of others was implied by it (in rounds, an operation reaches older
  // ones through the last level). The proof tells whether one can be dropped.
  pace,
};

[[nodiscard]] std::string_view name(EdgeKind kind);

// The kind of the dependency of `after` on `before`. Both must share a rank; only what they touch
// at a shared rank counts: a message reads at its sender and writes at its receiver. The schedule
// must have payload.
[[nodiscard]] EdgeKind edge_kind(const Schedule& schedule, OpId before, OpId after);

struct EdgeCounts {
  std::uint64_t data = 0;
  std::uint64_t buffer = 0;
  std::uint64_t pace = 0;
};

// Over all dependencies of the schedule.
[[nodiscard]] EdgeCounts count_edges(const Schedule& schedule);

}  // namespace tutti::inline schedules
