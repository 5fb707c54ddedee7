// Times of operations without contention: each message is alone on its route, and local work has
// its own core.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti { inline namespace sim {

// Time of an operation if no other operation uses its resources. The time of local work is in
// `transfer_s`.
struct OwnTime {
  double startup_s = 0;
  double transfer_s = 0;
};

// The times of all operations of a schedule, stored so that the network is no longer needed.
struct AloneTimes {
  struct Route {
    double latency_s = 0;
    double s_per_byte = 0;
  };
  std::vector<Route> routes;
  // By operation: index in `routes` of a message's route. Empty if all messages have the first
  // route.
  std::vector<std::uint32_t> route_of_op;
  std::vector<double> reduce_s_per_byte;  // by rank
  double copy_s_per_byte = 0;

  [[nodiscard]] OwnTime of(OpId id, const Op& op) const;
};

[[nodiscard]] OwnTime alone_on(const RouteFigures& figures, const FlowSetup& setup, const Op& op);
// Returns the time of local work. It is infinite for work at a switch. In place of a
// rank, `ranks` and larger numbers are switches.
[[nodiscard]] OwnTime alone_at(const Network& network, const FlowSetup& setup, Rank ranks,
                               const Op& op);

// Returns the times of all operations of `schedule`. figures_of() must return the figures of a
// message's route.
[[nodiscard]] AloneTimes alone_times(
    const Schedule& schedule, const Network& network, const FlowSetup& setup,
    const std::function<const RouteFigures&(OpId, const Op&)>& figures_of);

}}  // namespace tutti::sim
