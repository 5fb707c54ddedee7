#include "schedules/patterns/node_tree.hpp"

#include <algorithm>
#include <ranges>

#include "schedules/patterns/digit_hops.hpp"

namespace tutti { inline namespace schedules {

NodeTree::NodeTree(const NodeShape& shape) {
  const Nodes& nodes = shape.nodes;
  const std::vector<std::uint32_t> radices = radices_for(nodes.count(), shape.between);
  std::uint64_t reach = 1;  // the number of nodes that one node can serve in the phases left
  for (const std::uint32_t radix : radices) {
    reach *= radix;
  }
  std::vector<Range> ranges{{0, nodes.count()}};
  spread_within(shape, {0});
  for (const std::uint32_t radix : radices) {
    reach /= radix;
    spread_within(shape, serve_nodes(nodes, radix, reach, ranges));
  }
}

// Each node that has the data sends it to other nodes, and leaves a part of its range to each.
// Returns the nodes that have received the data. After this phase, a node can serve `reach` nodes.
std::vector<std::uint32_t> NodeTree::serve_nodes(const Nodes& nodes, std::uint32_t radix,
                                                 std::uint64_t reach, std::vector<Range>& ranges) {
  std::vector<std::uint32_t> served;
  std::vector<TreeEdge>& edges = phases_.emplace_back();
  const std::size_t had_data = ranges.size();
  most_children_ = std::max(most_children_, nodes.per_core(std::min(radix, nodes.count()) - 1));
  for (std::size_t at = 0; at < had_data; ++at) {
    const Range all = ranges[at];
    const std::uint32_t children = std::min(radix - 1, all.count - 1);
    const auto own =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(all.count - children, reach));
    const std::uint32_t rest = all.count - own;
    std::uint32_t first = all.first + own;
    for (std::uint32_t i = 0; i < children; ++i) {
      const std::uint32_t count = rest / children + (i < rest % children ? 1 : 0);
      edges.push_back({nodes.core_for(all.first, i), nodes.core_for(first, 0)});
      served.push_back(first);
      ranges.push_back({first, count});
      first += count;
    }
    ranges[at].count = own;
  }
  return served;
}

// Core 0 of each node in `served` has the data. The distances fall, so that the cores below each
// core are those that follow it.
void NodeTree::spread_within(const NodeShape& shape, const std::vector<std::uint32_t>& served) {
  std::uint32_t largest = 1;
  for (const std::uint32_t node : served) {
    largest = std::max(largest, shape.nodes.size(node));
  }
  const std::vector<HopPhase> rounds = hop_phases(largest, radices_for(largest, shape.within));
  std::uint64_t apart = 1;  // the distance between the cores that have the data
  for (const HopPhase& round : rounds) {
    apart = std::max(apart, std::uint64_t{round.distance} * (round.hops + 1));
  }
  for (const HopPhase& round : std::views::reverse(rounds)) {
    std::vector<TreeEdge>& edges = phases_.emplace_back();
    most_children_ = std::max(most_children_, round.hops);
    for (const std::uint32_t node : served) {
      const std::vector<Rank>& cores = shape.nodes.cores(node);
      for (std::uint64_t core = 0; core < cores.size(); core += apart) {
        for (std::uint64_t child = core + round.distance;
             child < std::min<std::uint64_t>(core + apart, cores.size()); child += round.distance) {
          edges.push_back({cores[core], cores[child]});
        }
      }
    }
    apart = round.distance;
  }
}

}}  // namespace tutti::schedules
