// Presents a schedule's dependencies as a Boost.Graph graph, for Boost's algorithms
// (topological_sort, dag_shortest_paths, transitive_closure, ...). Vertices are operations, and an
// edge leads from an operation to one that depends on it. The graph reads the schedule's own arrays
// and copies nothing. It models BidirectionalGraph, VertexListGraph and EdgeListGraph. Emitters
// should not include this file: it is slow to compile.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/property_map/property_map.hpp>

#include <cstddef>
#include <utility>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// An edge from operation `before` to operation `after`, which depends on it.
struct DependencyEdge {
  OpId before = kNoOp;
  OpId after = kNoOp;
  friend bool operator==(const DependencyEdge&, const DependencyEdge&) = default;
};

// Converts an entry of Schedule::predecessors(id) or Schedule::successors(id) into an edge.
struct EdgeOfRow {
  OpId id = kNoOp;
  bool outgoing = true;
  DependencyEdge operator()(OpId other) const {
    return outgoing ? DependencyEdge{id, other} : DependencyEdge{other, id};
  }
};

using RowIterator = OpIds::Iterator;
using RowEdgeIterator = boost::transform_iterator<EdgeOfRow, RowIterator, DependencyEdge>;

// Iterates over all edges in ascending order of `before`.
class DependencyEdgeIterator
    : public boost::iterator_facade<DependencyEdgeIterator, DependencyEdge,
                                    boost::forward_traversal_tag, DependencyEdge> {
 public:
  DependencyEdgeIterator() = default;
  DependencyEdgeIterator(const Schedule& schedule, OpId id) : schedule_(&schedule), id_(id) {
    skip_empty();
  }

 private:
  friend class boost::iterator_core_access;

  void skip_empty() {
    while (id_ < schedule_->size() && at_ == schedule_->successors(id_).size()) {
      ++id_;
      at_ = 0;
    }
  }
  void increment() {
    ++at_;
    skip_empty();
  }
  [[nodiscard]] DependencyEdge dereference() const {
    return {id_, schedule_->successors(id_)[at_]};
  }
  [[nodiscard]] bool equal(const DependencyEdgeIterator& other) const {
    return id_ == other.id_ && at_ == other.at_;
  }

  const Schedule* schedule_ = nullptr;
  OpId id_ = 0;
  std::size_t at_ = 0;
};

}}  // namespace tutti::schedules

// NOLINTBEGIN(readability-identifier-naming): names that Boost looks up
template <>
struct boost::graph_traits<tutti::Schedule> {
  using vertex_descriptor = tutti::OpId;
  using edge_descriptor = tutti::DependencyEdge;
  using directed_category = bidirectional_tag;
  using edge_parallel_category = disallow_parallel_edge_tag;
  struct traversal_category : bidirectional_graph_tag,
                              vertex_list_graph_tag,
                              edge_list_graph_tag,
                              adjacency_graph_tag {};
  using vertex_iterator = counting_iterator<tutti::OpId>;
  using out_edge_iterator = tutti::RowEdgeIterator;
  using in_edge_iterator = tutti::RowEdgeIterator;
  using adjacency_iterator = tutti::RowIterator;
  using edge_iterator = tutti::DependencyEdgeIterator;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using degree_size_type = std::size_t;
  static vertex_descriptor null_vertex() { return tutti::kNoOp; }
};
// NOLINTEND(readability-identifier-naming)

// Boost finds these functions by argument-dependent lookup in the schedule's namespace.
namespace tutti { inline namespace schedules {

inline std::pair<boost::counting_iterator<OpId>, boost::counting_iterator<OpId>> vertices(
    const Schedule& schedule) {
  return {boost::counting_iterator<OpId>(0), boost::counting_iterator<OpId>(schedule.size())};
}
inline std::size_t num_vertices(const Schedule& schedule) { return schedule.size(); }
inline std::pair<DependencyEdgeIterator, DependencyEdgeIterator> edges(const Schedule& schedule) {
  return {{schedule, 0}, {schedule, schedule.size()}};
}
inline std::size_t num_edges(const Schedule& schedule) { return schedule.dependencies(); }

inline std::pair<RowEdgeIterator, RowEdgeIterator> out_edges(OpId id, const Schedule& schedule) {
  const auto row = schedule.successors(id);
  const EdgeOfRow edge{id, true};
  return {RowEdgeIterator(row.begin(), edge), RowEdgeIterator(row.end(), edge)};
}
inline std::pair<RowEdgeIterator, RowEdgeIterator> in_edges(OpId id, const Schedule& schedule) {
  const auto row = schedule.predecessors(id);
  const EdgeOfRow edge{id, false};
  return {RowEdgeIterator(row.begin(), edge), RowEdgeIterator(row.end(), edge)};
}
inline std::pair<RowIterator, RowIterator> adjacent_vertices(OpId id, const Schedule& schedule) {
  const auto row = schedule.successors(id);
  return {row.begin(), row.end()};
}
inline std::size_t out_degree(OpId id, const Schedule& schedule) {
  return schedule.successors(id).size();
}
inline std::size_t in_degree(OpId id, const Schedule& schedule) {
  return schedule.predecessors(id).size();
}
inline std::size_t degree(OpId id, const Schedule& schedule) {
  return out_degree(id, schedule) + in_degree(id, schedule);
}
inline OpId source(const DependencyEdge& edge, const Schedule&) { return edge.before; }
inline OpId target(const DependencyEdge& edge, const Schedule&) { return edge.after; }

inline boost::typed_identity_property_map<OpId> get(boost::vertex_index_t, const Schedule&) {
  return {};
}
inline OpId get(boost::vertex_index_t, const Schedule&, OpId id) { return id; }

}}  // namespace tutti::schedules

template <>
struct boost::property_map<tutti::Schedule, boost::vertex_index_t> {
  // NOLINTBEGIN(readability-identifier-naming): names that Boost looks up
  using type = boost::typed_identity_property_map<tutti::OpId>;
  using const_type = type;
  // NOLINTEND(readability-identifier-naming)
};
