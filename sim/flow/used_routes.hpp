// The routes that messages took, for drawings of the network and questions about shared links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti { inline namespace sim {

// Routes between pairs of hosts, sorted by pair.
struct RouteList {
  std::vector<std::uint32_t> src_host;
  std::vector<std::uint32_t> dst_host;
  // The links of route i are links[starts[i]] to links[starts[i + 1] - 1], in the order in which
  // the route crosses them. Links are numbered as in the network.
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint32_t> links;

  [[nodiscard]] std::size_t size() const { return src_host.size(); }
  [[nodiscard]] std::span<const std::uint32_t> route(std::size_t i) const {
    return std::span(links).subspan(starts[i], starts[i + 1] - starts[i]);
  }
};

struct UsedRoutes {
  std::vector<std::uint32_t> host_of_rank;
  // One route for each pair of hosts between which a message with at least one byte was sent.
  RouteList used;
  // Other routes between hosts with ranks. They suffice to find out which links are at the same
  // switch.
  RouteList others;
};

[[nodiscard]] UsedRoutes used_routes(Network& network, const FlowSetup& setup,
                                     const Schedule& schedule);

}}  // namespace tutti::sim
