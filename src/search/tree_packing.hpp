// Packs spanning trees into a network so that its most loaded link has little to carry.
//
// Sources: Zhao et al., "ForestColl: Throughput-Optimal Collective Communications on Heterogeneous
// Network Fabrics" (arXiv 2402.06787): trees reach the bound of each network whose switches can
// forward freely. Here, messages follow the routes of the platform. Edmonds, "Edge-disjoint
// branchings" (1973): the network without switches. Lengths that grow exponentially with the load:
// Garg and Koenemann, "Faster and Simpler Algorithms for Multicommodity Flow and Other Fractional
// Packing Problems" (SIAM J. Comput., 2007).
#pragma once

#include <cstdint>
#include <vector>

#include "src/search/rank_routes.hpp"

namespace tutti { inline namespace search {

// The edges that trees may have. An edge is left out if another rank lies on its route, since
// two shorter edges then use the same links.
class TreeEdges {
 public:
  explicit TreeEdges(const Goal& goal);

  // The time that a byte on an edge takes on one of the links or ports.
  struct Use {
    std::uint32_t resource = 0;
    double s_per_byte = 0;
  };
  struct Edge {
    Rank src = 0;
    Rank dst = 0;
    std::uint32_t first_use = 0;
    std::uint32_t end_use = 0;
  };

  [[nodiscard]] const RankRoutes& routes() const { return routes_; }
  [[nodiscard]] std::uint32_t ranks() const { return routes_.ranks(); }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] const std::vector<std::uint32_t>& out_of(Rank rank) const { return out_[rank]; }
  [[nodiscard]] const std::vector<std::uint32_t>& into(Rank rank) const { return into_[rank]; }
  [[nodiscard]] std::span<const Use> uses(const Edge& edge) const {
    return {uses_.data() + edge.first_use, edge.end_use - edge.first_use};
  }
  // Number of links and ports.
  [[nodiscard]] std::uint32_t resources() const { return resources_; }

 private:
  [[nodiscard]] bool passes_a_rank(Rank src, Rank dst,
                                   const std::vector<std::vector<std::uint32_t>>& links) const;

  RankRoutes routes_;
  std::uint32_t resources_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::uint32_t>> out_;   // by source
  std::vector<std::vector<std::uint32_t>> into_;  // by destination
  std::vector<Use> uses_;                         // of all edges
};

struct PackedTree {
  static constexpr std::uint32_t kNoEdge = 0xffffffffU;

  Rank root = 0;
  double bytes = 0;
  std::vector<std::uint32_t> edge;  // into each rank; kNoEdge for the root
};

// Grows the trees, whose roots and bytes are given, one after the other, and then moves one rank at
// a time to a better parent. `depth_weight` is the cost of a level, compared with that of the most
// loaded link. Returns the trees with the least maximum load.
[[nodiscard]] std::vector<PackedTree> pack_trees(const TreeEdges& edges,
                                                 std::vector<PackedTree> trees, double depth_weight,
                                                 SearchRandom random);

// Returns the time, in seconds, that the most loaded link or port is busy.
[[nodiscard]] double maximum_load_s(const TreeEdges& edges, const std::vector<PackedTree>& trees);

}}  // namespace tutti::search
