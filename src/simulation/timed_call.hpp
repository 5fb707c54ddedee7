// What a benchmark of MPI collectives times: after a barrier each rank times its own call, and the
// slowest counts. Who leaves the barrier late has less to wait for.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "schedules/schedule.hpp"
#include "sim/engine.hpp"

namespace tutti::inline simulation {

// By rank, how much later than the first it leaves a barrier ("barrier/tree"), which is run by
// `run` from a common start.
[[nodiscard]] std::vector<double> barrier_exits_s(
    std::string_view barrier, std::uint32_t ranks, std::int64_t eager_bytes,
    const std::function<Timeline(const Schedule&)>& run);

// From a rank's own start, `begins_s`, to the end of the last operation that it takes part in; of
// the rank that takes longest. A rank has sent an eager message when that starts.
[[nodiscard]] double slowest_call_s(const Schedule& schedule, const Timeline& timeline,
                                    std::int64_t eager_bytes, const std::vector<double>& begins_s);

}  // namespace tutti::inline simulation
