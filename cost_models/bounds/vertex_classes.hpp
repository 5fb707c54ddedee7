// Classes of equal vertices of a flow graph, by colour refinement: the coarsest partition in which
// all vertices of a class have as many edges to, and from, the vertices of each class. For cuts and
// flows between sets of whole classes, the graph can be merged to one vertex per class (Grohe,
// Kersting, Mladenov and Selman, "Dimension reduction via colour refinement", ESA 2014). Twin hosts
// are in one class, and so are equal nodes anywhere in the network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost_models/bounds/flow_graph.hpp"

namespace tutti { inline namespace cost_models {

class VertexClasses {
 public:
  // The graph must outlive the object.
  explicit VertexClasses(const FlowGraph& graph);

  // Splits classes until these vertices, each of which is given once, are in other classes than all
  // other vertices.
  void set_apart(std::span<const std::uint32_t> vertices);
  // Sets hosts apart from hosts with other values.
  void set_apart_by_value(std::span<const double> of_host);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(classes_.size()); }
  [[nodiscard]] std::uint32_t class_of(std::uint32_t vertex) const { return class_of_[vertex]; }
  [[nodiscard]] std::span<const std::uint32_t> members(std::uint32_t of_class) const {
    return std::span(order_).subspan(classes_[of_class].first, classes_[of_class].size);
  }
  // Returns the edges between classes, with the capacities of all edges that they stand for.
  [[nodiscard]] std::vector<FlowEdge> merged_edges() const;

 private:
  struct Class {
    std::uint32_t first = 0;  // index in order_
    std::uint32_t size = 0;
    bool is_queued = false;
  };

  void refine();
  // Splits the classes of the vertices in counted_ by counts_, which become 0.
  void split_by_counts();
  void split(std::uint32_t of_class, std::span<const std::uint32_t> counted);
  std::uint32_t add_class(std::uint32_t first, std::uint32_t size);

  const FlowGraph* graph_;
  std::vector<std::uint32_t> order_;  // vertices, class by class
  std::vector<std::uint32_t> place_;  // by vertex: its index in order_
  std::vector<std::uint32_t> class_of_;
  std::vector<Class> classes_;
  std::vector<std::uint32_t> queue_;   // classes by which others have yet to be split
  std::vector<std::uint32_t> counts_;  // by vertex
  std::vector<std::uint32_t> counted_;
};

}}  // namespace tutti::cost_models
