// Small hand-made schedules, right and wrong, each with its known verdict.
#pragma once

#include <string>
#include <vector>

#include "tests/schedules/explore/draft.hpp"

namespace tutti::explore {

struct Example {
  std::string name;
  Draft draft;
  bool ordered;  // true if the verdict is for an operator that does not commute
  bool safe;     // true if every order of events gives the same right result
  bool races;    // true if some conflicting accesses are not ordered
};

// Returns a draft without operations, for a vector of `blocks` blocks of one element each.
[[nodiscard]] Draft empty_draft(Collective collective, std::uint32_t ranks, std::uint32_t blocks,
                                Rank root = 0);

[[nodiscard]] std::vector<Example> examples();
// Throws if there is no example of this name.
[[nodiscard]] Example example(const std::string& name);

}  // namespace tutti::explore
