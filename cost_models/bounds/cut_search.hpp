// Searches for the cuts of a network that limit a collective most.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/vertex_classes.hpp"

namespace tutti { inline namespace cost_models {

// A set of vertices, and the bytes that must leave it.
struct NetworkCut {
  std::vector<bool> inside;  // by vertex
  double bytes = 0;
  double capacity_bytes_per_s = 0;  // of all edges that leave the set

  [[nodiscard]] double seconds() const { return bytes / capacity_bytes_per_s; }
};

enum class Direction : std::uint8_t {
  forward,
  backward,  // all edges reversed
};

// Finds cuts by max-flows (Boykov and Kolmogorov's algorithm in Boost.Graph) in the graph with
// equal vertices merged. A cut that is found limits the time whatever the rounding of the flow's
// arithmetic. Rounding only decides whether a better cut, by less than about 1e-12, is overlooked.
class CutSearch {
 public:
  // The graph must outlive the search.
  explicit CutSearch(const FlowGraph& graph) : graph_(&graph), classes_(graph) {}

  // Data that every host must get: `bytes` has the number of bytes that each host has at the start.
  // Returns the cut with the largest time, which is that of the bytes inside, over all sets that
  // leave out a host. Returns nothing if no cut takes more than `at_least_s`. In a large graph with
  // many different hosts, some cuts are not tried.
  //
  // The time of the tightest cut is found by Newton's method on the ratio: a max-flow for the time
  // of the best cut so far either shows that no cut takes longer, or finds one.
  [[nodiscard]] std::optional<NetworkCut> broadcast_cut(Direction direction,
                                                        std::span<const double> bytes,
                                                        double at_least_s = 0) const;

  // Data that the host `root` has, of which host i must get `bytes[i]`. The result is as above, but
  // the time of a cut is that of the bytes for the hosts outside.
  [[nodiscard]] std::optional<NetworkCut> scatter_cut(Direction direction, std::uint32_t root,
                                                      std::span<const double> bytes,
                                                      double at_least_s = 0) const;

  // Returns the cut of the least capacity that has these hosts inside and all other hosts outside.
  // NetworkCut::bytes is 0.
  [[nodiscard]] NetworkCut narrowest(Direction direction,
                                     std::span<const std::uint32_t> hosts) const;

  // The classes of equal vertices, of which hosts with different data are not set apart.
  [[nodiscard]] const VertexClasses& classes() const { return classes_; }

 private:
  // Returns the capacity of the edges that leave the set in this direction.
  [[nodiscard]] double capacity_out(Direction direction, std::vector<bool> inside) const;

  const FlowGraph* graph_;
  VertexClasses classes_;
};

}}  // namespace tutti::cost_models
