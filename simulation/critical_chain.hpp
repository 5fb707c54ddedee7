// Why a run took as long as it did: the chain of operations, each started by the end of the one
// before, that ends with the run.
#pragma once

#include <vector>

#include "schedules/prices.hpp"
#include "schedules/schedule.hpp"
#include "sim/timeline.hpp"

namespace tutti {

struct CriticalChain {
  std::vector<OpId> ops;  // first to last
  // The time of the run, divided up; the parts add up to its total.
  double startup_s = 0;   // alpha of the chain's messages
  double transfer_s = 0;  // beta of their bytes
  double reduce_s = 0;
  double copy_s = 0;
  // What messages took beyond alpha and beta: links that others used too, slower routes, a network
  // model that is not plain alpha-beta. Negative where a message was faster than the prices say.
  double network_s = 0;
  double waiting_s = 0;  // nothing on the chain ran
};

// Walks back from the last end. An operation was started by the latest of what it comes after, or
// by one that held the port or the core it needed.
[[nodiscard]] CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                                           const Prices& prices);

}  // namespace tutti
