// Numbers of ranks for tests of algorithms that do not support every number of ranks.
#pragma once

#include "tests/schedules/problems.hpp"

namespace tutti {

// Returns the smallest number of ranks, not below `ranks`, that the algorithm supports with 10
// elements per rank. Returns 2 * `ranks` if no smaller number is supported.
inline std::uint32_t served_ranks(const Algorithm& algorithm, std::uint32_t ranks) {
  for (const std::uint32_t last = 2 * ranks;
       ranks < last && refuses(algorithm, problem_of(algorithm, ranks, std::uint64_t{ranks} * 10));
       ++ranks) {
  }
  return ranks;
}

}  // namespace tutti
