// The dependencies of a schedule as Boost.Graph's compressed sparse rows, for its algorithms
// (topological_sort, dag_shortest_paths, transitive_reduction, ...). Not for emitters: it is slow
// to compile.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include "schedules/op.hpp"

namespace tutti {

using DependencyGraph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, OpId, std::uint32_t>;

struct DependencyGraphs {
  DependencyGraph successors;    // edge u -> v: v comes after u
  DependencyGraph predecessors;  // the same edges, turned round
};

}  // namespace tutti
