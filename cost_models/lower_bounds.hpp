// Lower bounds on the time of any algorithm on a homogeneous network, where a rank sends at most
// one message, receives at most one message and performs at most one reduction at a time.
//
// Source: Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory,
// practice, and experience", CCPE 19(13), 2007, table of lower bounds; Patarasuk and Yuan, JPDC
// 69(2), 2009, for the bandwidth of allreduce; Bruck, Ho, Kipnis, Upfal and Weathersby, IEEE TPDS
// 8(11), 1997, for alltoall.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace cost_models {

struct LowerBounds {
  // alpha times the least number of rounds after which every rank can have the data that it needs.
  double latency_s = 0;
  // beta times the least number of bytes through the busiest port.
  double bandwidth_s = 0;
  // gamma times the number of bytes that each rank reduces if all ranks share the reductions
  // evenly.
  double reduction_s = 0;
  // Each term is a lower bound by itself. The sum of the terms is not, because the three times may
  // overlap.
  [[nodiscard]] double total_s() const { return std::max({latency_s, bandwidth_s, reduction_s}); }
};

// Returns the size in bytes of each rank's part; for alltoall, of the part for each distance from
// sender to receiver. In alltoallv, the parts are those of an even split.
[[nodiscard]] std::vector<std::uint64_t> part_bytes(const Problem& problem);

// Returns bounds for the real sizes of blocks, so that the bounds are also valid for unequal
// blocks; for example, a root does not send its own block. All terms are 0 for one rank. They are
// also 0 for 0 bytes, except for a barrier.
[[nodiscard]] LowerBounds lower_bounds(const Problem& problem, const Prices& prices);

}}  // namespace tutti::cost_models
