// What no algorithm can beat on a homogeneous network where a rank sends one message and receives
// one at a time, and reduces one thing at a time.
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
  double latency_s = 0;    // rounds until everybody has heard of whom they must
  double bandwidth_s = 0;  // bytes through the busiest port
  double reduction_s = 0;  // bytes reduced, shared out evenly
  std::string_view text;   // the three, for an even split, in words of p, n, alpha, beta, gamma

  // Each is a bound alone; their sum is not one, for they may overlap.
  [[nodiscard]] double total_s() const { return std::max({latency_s, bandwidth_s, reduction_s}); }
};

// Where blocks are unequal, their real sizes are counted, so that the bounds stay bounds: a root's
// own block is not sent. All 0 on one rank, and, but for a barrier, for 0 bytes.
[[nodiscard]] LowerBounds lower_bounds(const Problem& problem, const Prices& prices);

// The same where switches reduce and multicast: nobody hears of another but over two links, half of
// alpha each, and what a rank has to put in, or has in the end, crosses its link once.
[[nodiscard]] LowerBounds lower_bounds_in_network(const Problem& problem, const Prices& prices);

}  // namespace tutti::inline cost_models
