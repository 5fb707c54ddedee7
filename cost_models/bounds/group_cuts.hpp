// Cuts around the groups of a partition of the hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "cost_models/bounds/cut_search.hpp"
#include "cost_models/bounds/flow_graph.hpp"

namespace tutti { inline namespace cost_models {

// Edges that separate some hosts from the others: all data between them crosses one of these edges.
struct HostCut {
  std::vector<std::uint32_t> hosts;  // indices
  bool hosts_send = true;
  std::vector<std::uint32_t> edges;
  double capacity_bytes_per_s = 0;
};

// A partition of the hosts. The messages between groups cross the cuts of all groups.
struct HostGroups {
  std::vector<std::uint32_t> group_of_host;  // by index of the host
  std::uint32_t groups = 0;
  std::vector<HostCut> out;  // by group
  std::vector<HostCut> in;
  // Edges of all these cuts, each once.
  std::vector<std::uint32_t> edges_out;
  std::vector<std::uint32_t> edges_in;
};

// Number of edges that all max-flows for a partition may look at.
inline constexpr double kMostGroupWork = 5e7;

// Finds the narrowest cuts around the groups of a partition, each group of which has a number below
// `groups`. If more work is needed, some of the cuts are wider: next to the hosts.
[[nodiscard]] HostGroups cuts_around_groups(const FlowGraph& graph, const CutSearch& search,
                                            std::vector<std::uint32_t> group_of_host,
                                            std::uint32_t groups,
                                            double most_work = kMostGroupWork);
// Puts the edges of all cuts into edges_out and edges_in.
void collect_edges(HostGroups& partition);

}}  // namespace tutti::cost_models
