// Why a run took as long as it did: the chain of operations, each started by the end of the one
// before, that ends with the run.
#pragma once

#include <functional>
#include <vector>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/engine.hpp"
#include "sim/timeline.hpp"

namespace tutti {

// What a message takes on its own route while nothing else is on it.
struct OwnTime {
  double startup_s = 0;
  double transfer_s = 0;
};
using OwnTimes = std::function<OwnTime(OpId, const Op&)>;
// By alpha and beta, as if all routes were alike. Ends from `ranks` on are switches, and half of a
// route away (schedules/prices.hpp).
[[nodiscard]] OwnTimes own_times_by(const Prices& prices, Rank ranks = kNoOp);

struct CriticalChain {
  std::vector<OpId> ops;  // first to last
  // The time of the run, divided up; the parts add up to its total.
  double startup_s = 0;   // of the chain's messages
  double transfer_s = 0;  // of their bytes
  double reduce_s = 0;
  double copy_s = 0;
  // What messages took beyond their own times, since others used the same links.
  double network_s = 0;
  double waiting_s = 0;  // nothing on the chain ran
};

// Of the chain that walk_chain() finds.
[[nodiscard]] CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                                           const OwnTimes& own_times, const RunSetup& setup = {});

}  // namespace tutti
