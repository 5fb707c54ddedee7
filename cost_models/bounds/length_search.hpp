// Limits for data in pieces, such as those of an all-to-all: the dual of the maximum concurrent
// flow (Shahrokhi and Matula, JACM 37(2), 1990).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cost_models/bounds/flow_graph.hpp"
#include "cost_models/bounds/needs.hpp"
#include "cost_models/bounds/twin_hosts.hpp"

namespace tutti { inline namespace cost_models {

// Lengths of the edges of a graph. Each byte from one host to another crosses edges whose lengths
// sum to at least the distance of the two hosts, whatever its way. Therefore any schedule needs at
// least the time (sum of bytes times distance) / (sum of capacity times length). If the lengths are
// 1 on the edges that leave a set, and 0 elsewhere, this is the limit of a cut.
struct EdgeLengths {
  std::vector<double> of_edge;  // 0 for edges of unlimited capacity
  double weighted_bytes = 0;
  double weighted_bytes_per_s = 0;

  [[nodiscard]] double seconds() const { return weighted_bytes / weighted_bytes_per_s; }
};

struct LengthSearch {
  // The lengths with the longest time; empty if there are none with a time above that given.
  EdgeLengths best;
  // Time in which the bytes can be sent if they are split over several ways, as a fluid. No lengths
  // have a longer time.
  double feasible_s = std::numeric_limits<double>::infinity();
};

// Returns the number of edges and vertices that one round of searches for shortest ways looks at.
[[nodiscard]] double work_of_round(const TwinHosts& twins);
inline constexpr double kMostWorkOfRound = 1e9;
inline constexpr double kMostWorkOfFirstRound = 1e6;

// Searches by multiplicative weights (Garg and Koenemann, SIAM J. Comput. 37(2), 2007): sends the
// data of one host after the other on shortest ways, and makes the edges on these ways longer.
// Stops once no lengths can have a time that is longer by more than 1 %, or after a number of steps
// that depends on the size of the graph. The hosts of a row of pieces must be twins. `at_least_s`
// is a known limit, and `feasible_s` a time in which the bytes are known to be sent.
[[nodiscard]] LengthSearch search_lengths(const FlowGraph& graph, const TwinHosts& twins,
                                          const PieceRows& pieces, double unevenness,
                                          double at_least_s, double feasible_s);
// Tries only the lengths with which the search begins: the time of a byte on each edge.
[[nodiscard]] LengthSearch first_lengths(const FlowGraph& graph, const TwinHosts& twins,
                                         const PieceRows& pieces, double unevenness,
                                         double at_least_s);

}}  // namespace tutti::cost_models
