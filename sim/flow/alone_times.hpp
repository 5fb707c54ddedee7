// What operations take alone: messages on their own routes, local work on cores of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti::inline sim {

// What an operation takes while nothing else shares what it uses; local work has transfer_s only.
struct OwnTime {
  double startup_s = 0;
  double transfer_s = 0;
};

// For all operations of a schedule, without the network.
struct AloneTimes {
  struct Route {
    double latency_s = 0;
    double s_per_byte = 0;
  };
  std::vector<Route> routes;
  std::vector<std::uint32_t> route_of_op;  // of messages; empty: all take the first route
  std::vector<double> reduce_s_per_byte;   // by rank
  double copy_s_per_byte = 0;

  [[nodiscard]] OwnTime of(OpId id, const Op& op) const;
};

[[nodiscard]] OwnTime alone_on(const RouteFigures& figures, const FlowSetup& setup, const Op& op);
// Infinite at a switch, which shares its work with nothing.
[[nodiscard]] OwnTime alone_at(const Network& network, const FlowSetup& setup, Rank ranks,
                               const Op& op);

// `figures_of`: of the route of a message.
[[nodiscard]] AloneTimes alone_times(
    const Schedule& schedule, const Network& network, const FlowSetup& setup,
    const std::function<const RouteFigures&(OpId, const Op&)>& figures_of);

}  // namespace tutti::inline sim
