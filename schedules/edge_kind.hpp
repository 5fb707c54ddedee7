// The purpose of a dependency, derived from the blocks that its two operations touch.
#pragma once

#include <cstdint>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

enum class EdgeKind : std::uint8_t {
  // The later operation reads data that the earlier one wrote.
  data,
  // The later operation overwrites blocks that the earlier one read or wrote.
  buffer,
  // The dependency only fixes the order: neither operation touches blocks that the other one
  // writes. Dropping the dependency changes the time. Dropping it does not change the result,
  // unless the order of other operations follows from the dependency: in rounds, for example, each
  // level is ordered after all earlier ones only through the previous level. The proof shows if a
  // dependency can be dropped.
  pace,
};

[[nodiscard]] std::string_view name(EdgeKind kind);

// Returns the kind of the dependency of `after` on `before`. The two operations must share a rank.
// Only the blocks that they touch at a shared rank count; a message reads at its sender and writes
// at its receiver. The schedule must have payload.
[[nodiscard]] EdgeKind edge_kind(const Schedule& schedule, OpId before, OpId after);

struct EdgeCounts {
  std::uint64_t data = 0;
  std::uint64_t buffer = 0;
  std::uint64_t pace = 0;
};

// Counts the dependencies of the schedule by kind.
[[nodiscard]] EdgeCounts count_edges(const Schedule& schedule);

}}  // namespace tutti::schedules
