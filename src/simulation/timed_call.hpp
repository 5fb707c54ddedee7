// Time of a call as benchmarks of MPI collectives measure it: after a barrier, each rank times its
// own call, and the slowest rank counts. A rank that leaves the barrier late waits less for other
// ranks.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"

namespace tutti::inline simulation {

// Returns how much later than the first rank each rank leaves a barrier ("barrier/tree"), in
// seconds. `run` simulates the barrier, which all ranks enter at the same time.
[[nodiscard]] std::vector<double> barrier_exits_s(
    std::string_view barrier, std::uint32_t ranks, std::int64_t eager_bytes,
    const std::function<Timeline(const Schedule&)>& run);

// Returns the time of the slowest rank, from its own start (`begins_s`) to the end of the last
// operation that it takes part in. An eager message is done for its sender when it starts.
[[nodiscard]] double slowest_call_s(const Schedule& schedule, const Timeline& timeline,
                                    std::int64_t eager_bytes, const std::vector<double>& begins_s);

}  // namespace tutti::inline simulation
