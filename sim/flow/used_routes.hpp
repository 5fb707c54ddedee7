// The ways that messages took, for those who draw the network or ask what crosses what.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/schedule.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti::inline sim {

// From host to host, in the order of the pairs.
struct RouteList {
  std::vector<std::uint32_t> src_host;
  std::vector<std::uint32_t> dst_host;
  // The links of route i are links[starts[i]] to links[starts[i + 1] - 1], in the order in which
  // they are crossed, as the network counts them.
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint32_t> links;

  [[nodiscard]] std::size_t size() const { return src_host.size(); }
  [[nodiscard]] std::span<const std::uint32_t> route(std::size_t i) const {
    return std::span(links).subspan(starts[i], starts[i + 1] - starts[i]);
  }
};

struct UsedRoutes {
  std::vector<std::uint32_t> host_of_rank;
  RouteList used;  // of every pair of hosts between which a message with bytes went, once
  // Others between hosts with ranks, enough of them to tell which links are at one switch.
  RouteList others;
};

[[nodiscard]] UsedRoutes used_routes(Network& network, const FlowSetup& setup,
                                     const Schedule& schedule);

}  // namespace tutti::inline sim
