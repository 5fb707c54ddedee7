// What comparisons and decisions of the public face have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/machine.hpp"
#include "src/requests/problem_template.hpp"
#include "tutti/comparison.hpp"

namespace tutti::v1 {

// Sorted, each once. Throws UserError for none, and for 0 ranks.
struct InnerGrid {
  std::vector<std::uint32_t> ranks;
  std::vector<std::uint64_t> bytes;
  std::vector<tutti::Machine> machines;  // by `ranks`
  ProblemTemplate asked;
  std::size_t jobs = 1;
};
[[nodiscard]] InnerGrid inner(const Grid& grid);

}  // namespace tutti::v1
