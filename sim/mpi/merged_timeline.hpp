// Merges the records of all ranks into one timeline.
#pragma once

#include "schedules/schedule.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/executor.hpp"
#include "sim/timeline.hpp"

namespace tutti::mpi {

// All ranks must call this. `record` is this rank's record of one run. Returns the timeline on rank
// 0. Time 0 of the timeline is the first start of an operation on any rank. `clock` is used on rank
// 0 only.
[[nodiscard]] Timeline merged_timeline(const Schedule& schedule, const World& world,
                                       const Record& record, const CommonClock& clock);

}  // namespace tutti::mpi
