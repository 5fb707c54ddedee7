#include "simulation/critical_chain.hpp"

#include <algorithm>

#include "simulation/chain_walk.hpp"

namespace tutti {

namespace {

// A part never takes more than there is: an engine may know a faster way than `own`.
void add_duration(CriticalChain& chain, const Op& op, double duration_s, const OwnTime& own) {
  switch (op.kind()) {
    case OpKind::comm: {
      const double startup_s = std::min(own.startup_s, duration_s);
      const double transfer_s = std::min(own.transfer_s, duration_s - startup_s);
      chain.startup_s += startup_s;
      chain.transfer_s += transfer_s;
      chain.network_s += duration_s - startup_s - transfer_s;
      break;
    }
    case OpKind::reduce:
      chain.reduce_s += duration_s;
      break;
    case OpKind::copy:
      chain.copy_s += duration_s;
      break;
  }
}

}  // namespace

OwnTimes own_times_by(const Prices& prices, Rank ranks) {
  return [prices, ranks](OpId, const Op& op) -> OwnTime {
    const bool at_switch = op.src() >= ranks || op.dst() >= ranks;
    return {at_switch ? prices.alpha_s / 2 : prices.alpha_s,
            static_cast<double>(op.bytes()) * prices.beta_s_per_byte};
  };
}

CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                             const OwnTimes& own_times, const RunSetup& setup) {
  CriticalChain chain;
  double before_s = 0;
  for (const ChainStep& step : walk_chain(schedule, timeline, setup)) {
    const Op& op = schedule.op(step.op);
    chain.ops.push_back(step.op);
    chain.waiting_s += step.from_s - before_s;
    add_duration(chain, op, step.until_s - step.from_s,
                 op.is_comm() ? own_times(step.op, op) : OwnTime());
    before_s = step.until_s;
  }
  // Rounding, not time: a sum of differences leaves a little of it.
  for (double* part : {&chain.network_s, &chain.waiting_s}) {
    if (std::max(*part, -*part) <= 1e-9 * timeline.total_s) {
      *part = 0;
    }
  }
  return chain;
}

}  // namespace tutti
