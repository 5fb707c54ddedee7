#include "sim/mpi/merged_timeline.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace tutti::mpi {

Timeline merged_timeline(const Schedule& schedule, const World& world, const Record& record,
                         const CommonClock& clock) {
  const std::vector<double> starts = world.gather(record.start_s);
  const std::vector<double> ends = world.gather(record.end_s);
  Timeline timeline;
  if (!world.first()) {
    return timeline;
  }
  // A rank's record is in id order, so one pass over all operations is enough.
  std::vector<std::size_t> next(world.ranks() + 1, 0);
  for (const Op& op : schedule.ops()) {
    ++next[op.src() + 1];
    if (op.is_comm()) {
      ++next[op.dst() + 1];
    }
  }
  for (std::size_t rank = 1; rank < next.size(); ++rank) {
    next[rank] += next[rank - 1];
  }
  TUTTI_INVARIANT(next.back() == starts.size() && starts.size() == ends.size());
  timeline.start_s.resize(schedule.size());
  timeline.end_s.resize(schedule.size());
  timeline.receive_start_s.resize(schedule.size());
  timeline.receive_end_s.resize(schedule.size());
  double first_s = std::numeric_limits<double>::infinity();
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const std::size_t at = next[op.src()]++;
    timeline.start_s[id] = clock.common_s(op.src(), starts[at]);
    timeline.end_s[id] = clock.common_s(op.src(), ends[at]);
    timeline.receive_start_s[id] = timeline.start_s[id];
    timeline.receive_end_s[id] = timeline.end_s[id];
    if (op.is_comm()) {
      const std::size_t there = next[op.dst()]++;
      timeline.receive_start_s[id] = clock.common_s(op.dst(), starts[there]);
      timeline.receive_end_s[id] = clock.common_s(op.dst(), ends[there]);
    }
    first_s = std::min({first_s, timeline.start_s[id], timeline.receive_start_s[id]});
  }
  for (std::vector<double>* moments :
       {&timeline.start_s, &timeline.end_s, &timeline.receive_start_s, &timeline.receive_end_s}) {
    for (double& moment : *moments) {
      moment -= first_s;
      timeline.total_s = std::max(timeline.total_s, moment);
    }
  }
  return timeline;
}

}  // namespace tutti::mpi
