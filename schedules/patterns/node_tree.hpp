// A tree over all ranks for node-aware broadcast and reduction. In each phase every node that has
// the data sends it to up to K - 1 nodes, each from a different core; each of these nodes then
// spreads it among its cores by a binomial or k-nomial tree. A node serves as many nodes as it can
// in the phases that are left, so few others have to pass the data on.
#pragma once

#include <vector>

#include "schedules/patterns/nodes.hpp"

namespace tutti { inline namespace schedules {

struct TreeEdge {
  Rank parent;
  Rank child;
};

class NodeTree {
 public:
  explicit NodeTree(const NodeShape& shape);

  // The edges by phases, those of the root first.
  [[nodiscard]] const std::vector<std::vector<TreeEdge>>& phases() const { return phases_; }
  // The most children that a rank has in one phase.
  [[nodiscard]] std::uint32_t most_children() const { return most_children_; }

 private:
  // Nodes that the first of them has to serve: it has the data.
  struct Range {
    std::uint32_t first;
    std::uint32_t count;
  };

  void spread_within(const NodeShape& shape, const std::vector<std::uint32_t>& served);
  std::vector<std::uint32_t> serve_nodes(const Nodes& nodes, std::uint32_t radix,
                                         std::uint64_t reach, std::vector<Range>& ranges);

  std::vector<std::vector<TreeEdge>> phases_;
  std::uint32_t most_children_ = 1;
};

}}  // namespace tutti::schedules
