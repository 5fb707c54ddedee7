// Times of operations without contention: messages have their routes to themselves, and local work
// has its own core.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti::inline sim {

// Time of an operation if nothing else uses its resources. Local work has transfer_s only.
struct OwnTime {
  double startup_s = 0;
  double transfer_s = 0;
};

// The times of all operations of a schedule, without the network.
struct AloneTimes {
  struct Route {
    double latency_s = 0;
    double s_per_byte = 0;
  };
  std::vector<Route> routes;
  std::vector<std::uint32_t> route_of_op;  // for messages; empty: all take the first route
  std::vector<double> reduce_s_per_byte;   // by rank
  double copy_s_per_byte = 0;

  [[nodiscard]] OwnTime of(OpId id, const Op& op) const;
};

[[nodiscard]] OwnTime alone_on(const RouteFigures& figures, const FlowSetup& setup, const Op& op);
// Infinite at a switch, which does not share its work.
[[nodiscard]] OwnTime alone_at(const Network& network, const FlowSetup& setup, Rank ranks,
                               const Op& op);

// figures_of() returns the figures of a message's route.
[[nodiscard]] AloneTimes alone_times(
    const Schedule& schedule, const Network& network, const FlowSetup& setup,
    const std::function<const RouteFigures&(OpId, const Op&)>& figures_of);

}  // namespace tutti::inline sim
