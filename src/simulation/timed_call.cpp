#include "src/simulation/timed_call.hpp"

#include <algorithm>

#include "schedules/assemble.hpp"
#include "schedules/registry.hpp"

namespace tutti::inline simulation {

namespace {

// Returns the time at which each rank has finished its last operation, in seconds.
std::vector<double> ends_s(const Schedule& schedule, const Timeline& timeline,
                           std::int64_t eager_bytes) {
  std::vector<double> ends(schedule.places());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    ends[op.dst()] = std::max(ends[op.dst()], timeline.end_s[id]);
    if (op.is_comm()) {
      const bool eager = static_cast<std::int64_t>(op.bytes()) <= eager_bytes;
      ends[op.src()] = std::max(ends[op.src()], eager ? timeline.start_s[id] : timeline.end_s[id]);
    }
  }
  return ends;
}

}  // namespace

std::vector<double> barrier_exits_s(std::string_view barrier, std::uint32_t ranks,
                                    std::int64_t eager_bytes,
                                    const std::function<Timeline(const Schedule&)>& run) {
  Problem problem;
  problem.collective = Collective::barrier;
  problem.ranks = ranks;
  const Schedule schedule = make_schedule(algorithm_named(barrier), problem, Detail::times_only);
  std::vector<double> exits = ends_s(schedule, run(schedule), eager_bytes);
  const double first_s = exits.empty() ? 0 : *std::min_element(exits.begin(), exits.end());
  for (double& exit_s : exits) {
    exit_s -= first_s;
  }
  return exits;
}

double slowest_call_s(const Schedule& schedule, const Timeline& timeline, std::int64_t eager_bytes,
                      const std::vector<double>& begins_s) {
  const std::vector<double> ends = ends_s(schedule, timeline, eager_bytes);
  double slowest_s = 0;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    slowest_s = std::max(slowest_s, ends[rank] - begins_s[rank]);
  }
  return slowest_s;
}

}  // namespace tutti::inline simulation
