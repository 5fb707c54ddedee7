// From candidates and a grid to decisions.
#pragma once

#include <cstddef>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline experiments {

// One cell for each number of ranks and size of the decision, which nobody has looked at.
void make_grid(Decision& decision);

// Times the grid, and what cells between its sizes it takes to know the boundaries, by
// `decision.by`, which is not `measured`. `runner`: null where nothing is run. `everything`:
// simulate also what cannot win.
void decide_by_times(Decision& decision, Runner* runner, std::size_t jobs, bool everything);

[[nodiscard]] bool something_runs(const Decision& decision);
// Throws UserError that says why not.
void check_something_runs(const Decision& decision);

}  // namespace tutti::inline experiments
