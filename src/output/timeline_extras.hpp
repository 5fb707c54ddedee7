// The data that an explanation adds to a timeline.
#pragma once

#include "src/formats/timeline_json.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline output {

// Returns the critical chain, and the loads over time of the links on which most time was lost.
[[nodiscard]] TimelineExtras timeline_extras(const Explanation& explanation);

}  // namespace tutti::inline output
