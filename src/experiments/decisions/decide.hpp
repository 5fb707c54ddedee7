// Makes decisions from candidates and a grid.
#pragma once

#include <cstddef>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline experiments {

// Adds an untimed cell for each number of ranks and each size of the decision.
void make_grid(Decision& decision);

// Times the grid, and the cells between its sizes that are needed to locate the boundaries.
// `decision.by` must not be `measured`. `runner` may be null if nothing is run. `everything`: also
// simulate candidates that cannot win.
void decide_by_times(Decision& decision, Runner* runner, std::size_t jobs, bool everything);

[[nodiscard]] bool something_runs(const Decision& decision);
// Throws UserError with the reason if something_runs() is false.
void check_something_runs(const Decision& decision);

}  // namespace tutti::inline experiments
