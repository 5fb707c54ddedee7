// Where programs of the user are the best of all that was timed, and by how much.
#pragma once

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// For each of --with: the cells of the grid in which it is the best, or how near it comes. Nothing
// where there is none.
void print_own(const Decision& decision, std::ostream& out);

}  // namespace tutti::inline output
