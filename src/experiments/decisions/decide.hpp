// Makes decisions from candidates and a grid of numbers of ranks and sizes.
#pragma once

#include <cstddef>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline experiments {

// Adds an untimed cell for each number of ranks and each size of the decision.
void make_grid(Decision& decision);

// Times the cells of the grid. Then adds and times cells between the sizes of the grid, to locate
// the boundaries between rules, and fills in the rules. `decision.by` must not be `measured`.
// `runner` may be null if nothing is run. If `everything` is set, also simulates candidates that
// cannot win.
void decide_by_times(Decision& decision, Runner* runner, std::size_t jobs, bool everything);

[[nodiscard]] bool something_runs(const Decision& decision);
// Throws UserError, which says why nothing runs, if something_runs() is false.
void check_something_runs(const Decision& decision);

}  // namespace tutti::inline experiments
