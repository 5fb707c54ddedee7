#include "sim/flow/alone_times.hpp"

#include <limits>
#include <unordered_map>

namespace tutti { inline namespace sim {

namespace {

double s_per_byte(const RouteFigures& figures, const FlowSetup& setup) {
  return setup.free_transfers ? 0 : 1 / (figures.alone_bytes_per_s * figures.efficiency);
}

double reduce_s_per_byte(const Network& network, const FlowSetup& setup, Rank rank) {
  return setup.flops_per_byte / network.host(setup.host_of_rank[rank]).speed_flops_per_s;
}

OwnTime work_of(const Op& op, double reduce_s_per_byte, double copy_s_per_byte) {
  return {0, static_cast<double>(op.bytes()) *
                 (op.kind() == OpKind::reduce ? reduce_s_per_byte : copy_s_per_byte)};
}

constexpr OwnTime kAtSwitch{0, std::numeric_limits<double>::infinity()};

}  // namespace

OwnTime alone_on(const RouteFigures& figures, const FlowSetup& setup, const Op& op) {
  return {figures.latency_s, static_cast<double>(op.bytes()) * s_per_byte(figures, setup)};
}

OwnTime alone_at(const Network& network, const FlowSetup& setup, Rank ranks, const Op& op) {
  return op.rank() >= ranks
             ? kAtSwitch
             : work_of(op, reduce_s_per_byte(network, setup, op.rank()), setup.copy_s_per_byte);
}

OwnTime AloneTimes::of(OpId id, const Op& op) const {
  if (!op.is_comm()) {
    return op.rank() >= reduce_s_per_byte.size()
               ? kAtSwitch
               : work_of(op, reduce_s_per_byte[op.rank()], copy_s_per_byte);
  }
  const Route& route = routes[route_of_op.empty() ? 0 : route_of_op[id]];
  return {route.latency_s, static_cast<double>(op.bytes()) * route.s_per_byte};
}

AloneTimes alone_times(const Schedule& schedule, const Network& network, const FlowSetup& setup,
                       const std::function<const RouteFigures&(OpId, const Op&)>& figures_of) {
  AloneTimes times;
  std::unordered_map<const RouteFigures*, std::uint32_t> known;
  times.route_of_op.resize(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.is_comm()) {
      continue;
    }
    const RouteFigures& figures = figures_of(id, op);
    const auto [at, is_new] =
        known.try_emplace(&figures, static_cast<std::uint32_t>(times.routes.size()));
    if (is_new) {
      times.routes.push_back({figures.latency_s, s_per_byte(figures, setup)});
    }
    times.route_of_op[id] = at->second;
  }
  if (times.routes.size() == 1) {
    times.route_of_op.clear();
  }
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    times.reduce_s_per_byte.push_back(reduce_s_per_byte(network, setup, rank));
  }
  times.copy_s_per_byte = setup.copy_s_per_byte;
  return times;
}

}}  // namespace tutti::sim
