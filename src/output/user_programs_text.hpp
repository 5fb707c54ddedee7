// Reports where a user's programs are the fastest of all candidates, and by how much.
#pragma once

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// For each program of --with: prints the cells of the grid in which the program is the fastest
// candidate, or, if there are none, how close it comes to the fastest candidate. Prints nothing
// without --with.
void print_own(const Decision& decision, std::ostream& out);

}  // namespace tutti::inline output
