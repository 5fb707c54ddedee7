// Lower bounds for every algorithm on a homogeneous network, where a rank sends one message,
// receives one message and performs one reduction at a time.
//
// Source: Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory,
// practice, and experience", CCPE 19(13), 2007, table of lower bounds; Patarasuk and Yuan, JPDC
// 69(2), 2009, for the bandwidth of allreduce; Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS
// 8(11), 1997, for alltoall.
#pragma once

#include <algorithm>
#include <string_view>

#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline cost_models {

struct LowerBounds {
  double latency_s = 0;    // rounds until every rank can have the data that it needs
  double bandwidth_s = 0;  // bytes through the busiest port
  double reduction_s = 0;  // bytes to reduce, shared evenly by all ranks
  std::string_view text;   // the three terms, for equal parts, in p, n, alpha, beta and gamma

  // Each term is a bound on its own. Their sum is not, because the three may overlap.
  [[nodiscard]] double total_s() const { return std::max({latency_s, bandwidth_s, reduction_s}); }
};

// Counts the real sizes of unequal blocks, so that the bounds remain valid: a root does not send
// its own block. All terms are 0 for one rank and, except for a barrier, for 0 bytes.
[[nodiscard]] LowerBounds lower_bounds(const Problem& problem, const Prices& prices);

// Like lower_bounds(), on a network whose switches reduce and multicast. Data from another rank
// cross at least two links, at alpha / 2 each. All data that a rank contributes or receives cross
// its own link once.
[[nodiscard]] LowerBounds lower_bounds_in_network(const Problem& problem, const Prices& prices);

}  // namespace tutti::inline cost_models
