// Changes of a step, each simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace steps {

enum class StepChangeKind : std::uint8_t {
  free,      // collectives take no time, but still wait for their ranks
  limit,     // their messages are so much shorter that they take their limit alone
  next,      // they run with the next best algorithm
  blocking,  // computing waits for them
  links,     // links have twice the bandwidth
};
[[nodiscard]] std::string_view name(StepChangeKind kind);

struct StepChange {
  StepChangeKind kind = StepChangeKind::free;
  std::optional<std::uint32_t> row;    // index into StepAccount::rows: collectives of this row
  std::optional<std::uint32_t> group;  // index into StepDescription::groups: all of the group
  std::string what;                    // the next algorithm, or the class of links
  double total_s = 0;                  // time of the changed step
};

struct StepChanges {
  std::vector<StepChange> found;          // in order of total_s
  std::vector<std::string> not_compared;  // what was not simulated, and why, in sentences
};

}}  // namespace tutti::steps
