// Numbers of ranks for tests of algorithms that do not support every number of ranks.
#pragma once

#include "tests/schedules/problems.hpp"

namespace tutti {

// Returns the smallest number of ranks, not below `ranks`, that the algorithm supports with 10
// elements per rank. Returns 2 * `ranks` if no smaller number is supported.
inline std::uint32_t served_ranks(const Algorithm& algorithm, std::uint32_t ranks) {
  const auto refused = [&] {
    const Problem problem =
        problem_of(algorithm.collective, ranks,
                   algorithm.collective == Collective::barrier ? 0 : std::uint64_t{ranks} * 10);
    return algorithm.refusal != nullptr && algorithm.refusal(problem).has_value();
  };
  for (const std::uint32_t last = 2 * ranks; ranks < last && refused(); ++ranks) {
  }
  return ranks;
}

}  // namespace tutti
