// Finds hosts that are attached to the same junctions by links of the same capacities. Exchanging
// two such hosts changes nothing in the graph, so one of them represents all.
#pragma once

#include <cstdint>
#include <vector>

#include "cost_models/bounds/flow_graph.hpp"

namespace tutti { inline namespace cost_models {

struct TwinHosts {
  // `any`: false: each host is taken as different from all others.
  explicit TwinHosts(const FlowGraph& graph, bool any = true);

  // By host: the first of its twins, which may be the host itself.
  std::vector<std::uint32_t> first_of_host;
  // By vertex and by edge: the one that corresponds to it at the first twin. Vertices and edges
  // that do not belong to one host correspond to themselves.
  std::vector<std::uint32_t> vertex;
  std::vector<std::uint32_t> edge;
};

}}  // namespace tutti::cost_models
