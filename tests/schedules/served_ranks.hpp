// Numbers of ranks for tests that want any, of algorithms that do not serve all.
#pragma once

#include "tests/schedules/problems.hpp"

namespace tutti {

// `ranks`, or the next number above it on which the algorithm serves a vector that all ranks have a
// part of.
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
