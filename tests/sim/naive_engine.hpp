// A simple reference implementation of the rules by which operations start. It examines all
// operations at every instant, so its run time is quadratic in the number of operations. It is
// independent of sim/dispatcher.hpp, so that the two can be compared.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"

namespace tutti {

inline Timeline run_naively(const Schedule& schedule, const Prices& prices, std::uint32_t ports) {
  const std::size_t ops = schedule.size();
  const double never = std::numeric_limits<double>::infinity();
  Timeline timeline;
  timeline.start_s.assign(ops, never);
  timeline.end_s.assign(ops, never);  // set when the operation ends, not earlier
  std::vector<double> due_s(ops, never);
  double now_s = 0;

  const auto running = [&](OpId id) {
    return timeline.start_s[id] != never && timeline.end_s[id] == never;
  };
  const auto ready = [&](OpId id) {
    const auto before = schedule.predecessors(id);
    return timeline.start_s[id] == never &&
           std::all_of(before.begin(), before.end(),
                       [&](OpId other) { return timeline.end_s[other] != never; });
  };
  // True if the running operations leave enough ports and cores for operation `id`.
  const auto has_room = [&](OpId id) {
    const Op& op = schedule.op(id);
    const Units units = schedule.units(id);
    std::uint32_t sending = 0;
    std::uint32_t receiving = 0;
    std::uint32_t computing = 0;
    for (OpId other = 0; other < ops; ++other) {
      if (running(other)) {
        const Op& taker = schedule.op(other);
        const Units held = schedule.units(other);
        sending += taker.is_comm() && taker.src() == op.src() && held.src_nic == units.src_nic;
        receiving += taker.is_comm() && taker.dst() == op.dst() && held.dst_nic == units.dst_nic;
        computing +=
            !taker.is_comm() && taker.rank() == op.rank() && held.dst_core == units.dst_core;
      }
    }
    return op.is_comm() ? ports == kUnlimitedPorts || (sending < ports && receiving < ports)
                        : computing < 1;
  };

  while (true) {
    for (bool again = true; again;) {
      again = false;
      for (OpId id = 0; id < ops; ++id) {
        if (ready(id) && !schedule.op(id).is_comm() && op_s(schedule.op(id), prices) == 0) {
          timeline.start_s[id] = timeline.end_s[id] = now_s;
          again = true;
        }
      }
    }
    for (OpId id = 0; id < ops; ++id) {
      if (ready(id) && has_room(id)) {
        timeline.start_s[id] = now_s;
        due_s[id] = now_s + op_s(schedule.op(id), prices);
      }
    }
    double next_s = never;
    for (OpId id = 0; id < ops; ++id) {
      if (running(id)) {
        next_s = std::min(next_s, due_s[id]);
      }
    }
    if (next_s == never) {
      break;
    }
    now_s = next_s;
    for (OpId id = 0; id < ops; ++id) {
      if (running(id) && due_s[id] <= instant_end_s(now_s)) {
        timeline.end_s[id] = now_s;
      }
    }
  }
  timeline.total_s = now_s;
  return timeline;
}

}  // namespace tutti
