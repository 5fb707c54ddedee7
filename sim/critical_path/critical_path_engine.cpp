#include "sim/critical_path/critical_path_engine.hpp"

#include <limits>

#include "schedules/error.hpp"
#include "schedules/large_array.hpp"
#include "sim/critical_path/completion_queue.hpp"
#include "sim/dispatcher.hpp"

namespace tutti {

Timeline CriticalPathEngine::run(const Schedule& schedule, const RunSetup& setup) {
  const CostCurves* const curves = setup.curves.get();
  const OpPrices measured =
      curves != nullptr ? prices_of(schedule, *curves, setup.same_node) : OpPrices();
  const auto duration_s = [&](OpId id) {
    const Op& op = schedule.op(id);
    return curves != nullptr ? measured.seconds(id, op) : op_s(op, prices_);
  };
  Timeline timeline;
  reserve_large(timeline.start_s, schedule.size());
  reserve_large(timeline.end_s, schedule.size());
  timeline.start_s.resize(schedule.size());
  timeline.end_s.resize(schedule.size());
  Dispatcher dispatcher(schedule, setup, measured.by_core);
  CompletionQueue running;
  double now_s = curves != nullptr && schedule.size() > 0 ? curves->start_s : 0;
  while (true) {
    dispatcher.advance([&](OpId id) { return duration_s(id) == 0; },
                       [&](OpId id) { timeline.start_s[id] = timeline.end_s[id] = now_s; },
                       [&](OpId id) {
                         timeline.start_s[id] = now_s;
                         running.push(now_s, duration_s(id), id);
                       },
                       [&](OpId id) { timeline.end_s[id] = now_s; });
    const double next_s = running.next_s();
    if (next_s == std::numeric_limits<double>::infinity()) {
      break;
    }
    now_s = next_s;
    running.pop_until(instant_end_s(now_s), [&](OpId id) {
      timeline.end_s[id] = now_s;
      dispatcher.complete(id);
    });
  }
  if (!dispatcher.all_done()) {
    throw InvariantError(dispatcher.describe_unfinished());
  }
  timeline.total_s = now_s;
  timeline.waited = dispatcher.waited();
  return timeline;
}

}  // namespace tutti
