// What comparisons and decisions of the public library have in common.
#pragma once

#include <cstddef>

#include "src/requests/problem_request.hpp"
#include "src/simulation/machine_spec.hpp"
#include "tutti/comparison.hpp"

namespace tutti::v1 {

struct InnerGrid {
  tutti::Collective collective = tutti::Collective::allreduce;
  ProblemRequest problems;  // ranks and sizes rising
  OpenedMachine machine;
  std::size_t jobs = 1;
};
// Throws UserError for no ranks or sizes, for 0 ranks, and for options that cannot be read.
[[nodiscard]] InnerGrid inner(const Grid& grid);

}  // namespace tutti::v1
