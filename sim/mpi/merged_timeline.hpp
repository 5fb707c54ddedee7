// The records of all ranks as one timeline.
#pragma once

#include "schedules/schedule.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/executor.hpp"
#include "sim/timeline.hpp"

namespace tutti::mpi {

// Collective: `record` is this rank's, of one run. The timeline is on rank 0, and starts at the
// first start of an operation anywhere. `clock` is looked at on rank 0 only.
[[nodiscard]] Timeline merged_timeline(const Schedule& schedule, const World& world,
                                       const Record& record, const CommonClock& clock);

}  // namespace tutti::mpi
