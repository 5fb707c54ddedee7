// Converts tutti::Grid, the input of the public functions compare() and decide(), to internal
// types.
#pragma once

#include <cstddef>

#include "src/requests/problem_request.hpp"
#include "src/simulation/machine_spec.hpp"
#include "tutti/comparison.hpp"

namespace tutti::v1 {

struct InnerGrid {
  tutti::Collective collective = tutti::Collective::allreduce;
  ProblemRequest problems;  // ranks and sizes in ascending order
  OpenedMachine machine;
  std::size_t jobs = 1;
};
// Converts a grid to internal types. Throws UserError if there are no ranks or sizes, if a number
// of ranks is 0, or if an option is invalid.
[[nodiscard]] InnerGrid inner(const Grid& grid);

}  // namespace tutti::v1
