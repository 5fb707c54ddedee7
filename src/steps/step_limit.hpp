// A lower bound on the time of a step.
#pragma once

#include "src/steps/choices.hpp"
#include "src/steps/description.hpp"

namespace tutti { inline namespace steps {

// Returns a time, in seconds, below which no run of the description can be, whatever the algorithms
// of its collectives. `choices` has the limits of the calls.
//
// It is the longest path through the statements of all ranks. On this path:
// - Computing takes its time.
// - A rank is not through a collective before all members have begun from which it needs data.
// - The last member is through a collective at its limit after the first member has begun, at the
//   earliest, because a run in which some members begin later is a run of the collective in which
//   they wait. Limits count for the first communicator of a group, for which they are known.
// Collectives of a group follow each other, and a collective begins after what its rank computes
// before it. Other collectives on the network can only make all of this longer.
[[nodiscard]] double step_limit_s(const StepDescription& step,
                                  const std::vector<CallChoice>& choices,
                                  std::uint32_t element_bytes);

}}  // namespace tutti::steps
