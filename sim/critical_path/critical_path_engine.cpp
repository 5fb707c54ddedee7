#include "sim/critical_path/critical_path_engine.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "base/work_ticker.hpp"
#include "sim/dispatcher.hpp"
#include "sim/event_queue.hpp"
#include "sim/id_list.hpp"

namespace tutti { inline namespace sim {

namespace {

// Calls started(id, at_s) and ended(id, at_s) for each operation. If an eager message arrives
// before its receiver is ready, calls ended() when the message arrives, and received(id, at_s) when
// the receiver is ready.
template <typename Started, typename Ended, typename Received>
PathTotal run_with(const Schedule& schedule, const RunSetup& setup, const Prices& prices,
                   Started&& started, Ended&& ended, Received&& received) {
  const CostCurves* const curves = setup.curves.get();
  const OpPrices measured =
      curves != nullptr ? prices_of(schedule, *curves, setup.same_node) : OpPrices();
  const auto duration_s = [&](OpId id) {
    const Op& op = schedule.op(id);
    return (curves != nullptr ? measured.seconds(id, op) : op_s(op, prices, schedule.ranks())) *
           setup.disturbance.factor(id);
  };
  Dispatcher dispatcher(schedule, setup, measured.by_core);
  IdPool pool;
  EventQueue running(pool);
  double now_s = curves != nullptr && schedule.size() > 0 ? curves->start_s : 0;
  TickedWork ticked("following the longest path", schedule.size());
  while (true) {
    ticked.at(dispatcher.done(), now_s);
    dispatcher.advance([&](OpId id) { return duration_s(id) == 0; },
                       [&](OpId id) {
                         started(id, now_s);
                         ended(id, now_s);
                       },
                       [&](OpId id) {
                         started(id, now_s);
                         running.push(now_s, duration_s(id) + setup.shifts.of(id), id);
                       },
                       [&](OpId id) { received(id, now_s); });
    const double next_s = std::min(running.next_s(), dispatcher.next_arrival_s());
    if (next_s == std::numeric_limits<double>::infinity()) {
      break;
    }
    now_s = next_s;
    if (now_s > setup.give_up_s) {
      throw GaveUp();
    }
    const double until_s = instant_end_s(now_s, setup.shifts);
    running.pop_until(until_s, [&](OpId id) {
      ended(id, now_s);
      dispatcher.complete(id);
    });
    dispatcher.arrive_until(until_s);
  }
  if (!dispatcher.all_done()) {
    throw InvariantError(dispatcher.describe_unfinished());
  }
  return {now_s, dispatcher.waited()};
}

}  // namespace

Timeline CriticalPathEngine::run(const Schedule& schedule, const RunSetup& setup) {
  Timeline timeline;
  reserve_large(timeline.start_s, schedule.size());
  reserve_large(timeline.end_s, schedule.size());
  timeline.start_s.resize(schedule.size());
  timeline.end_s.resize(schedule.size());
  if (setup.eager_bytes >= 0) {
    timeline.arrival_s.resize(schedule.size());
  }
  const PathTotal total = run_with(
      schedule, setup, prices_, [&](OpId id, double at_s) { timeline.start_s[id] = at_s; },
      [&](OpId id, double at_s) {
        timeline.end_s[id] = at_s;
        if (setup.eager_bytes >= 0) {
          timeline.arrival_s[id] = at_s;
        }
      },
      [&](OpId id, double at_s) { timeline.end_s[id] = at_s; });
  timeline.total_s = total.total_s;
  timeline.waited = total.waited;
  return timeline;
}

PathTotal CriticalPathEngine::run_total(const Schedule& schedule, const RunSetup& setup) const {
  return run_with(
      schedule, setup, prices_, [](OpId, double) {}, [](OpId, double) {}, [](OpId, double) {});
}

}}  // namespace tutti::sim
