// The purpose of a dependency, derived from the blocks that its two operations touch.
#pragma once

#include <cstdint>
#include <string_view>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

enum class EdgeKind : std::uint8_t {
  data,    // the later operation reads what the earlier one wrote
  buffer,  // the later operation overwrites what the earlier one read or wrote
  // Order only: neither operation touches what the other one writes. Dropping the dependency
  // changes the time. It does not change the result, unless the dependency implies the order of
  // other operations (in rounds, an operation is ordered after older ones by way of the previous
  // level). The proof tells if a dependency can be dropped.
  pace,
};

[[nodiscard]] std::string_view name(EdgeKind kind);

// The kind of the dependency of `after` on `before`. The two must share a rank, and only what they
// touch at a shared rank counts: a message reads at its sender and writes at its receiver. The
// schedule must have payload.
[[nodiscard]] EdgeKind edge_kind(const Schedule& schedule, OpId before, OpId after);

struct EdgeCounts {
  std::uint64_t data = 0;
  std::uint64_t buffer = 0;
  std::uint64_t pace = 0;
};

// Counts the dependencies of the schedule by kind.
[[nodiscard]] EdgeCounts count_edges(const Schedule& schedule);

}  // namespace tutti::inline schedules
