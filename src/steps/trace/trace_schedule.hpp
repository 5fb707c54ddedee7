// The schedule of a trace: its computing, and the operations of its collectives and messages.
#pragma once

#include <memory>
#include <vector>

#include "schedules/schedule_union.hpp"
#include "src/steps/step_schedule.hpp"
#include "src/steps/trace/matching.hpp"

namespace tutti { inline namespace steps {

struct TraceSchedule {
  Schedule schedule;
  // By rank and node: the operation after which the node begins, and the one with which it ends;
  // kNoOp if there is none. A receive begins with its message.
  std::vector<std::vector<OpId>> begin_after;
  std::vector<std::vector<OpId>> ends;
};

// A node begins when those on which it depends have ended. A collective begins at each of its ranks
// on its own, after the one before it in its group. A message begins when its sender is ready; the
// receiver is always ready for it. `call_of` has the call of each match, and `parts` the part of
// each call. Throws UserError if ranks wait for each other in a cycle.
[[nodiscard]] TraceSchedule schedule_of(const ChakraTrace& trace, const TraceMatches& matches,
                                        const std::vector<std::uint32_t>& call_of,
                                        const std::vector<SharedPart>& parts);

}}  // namespace tutti::steps
