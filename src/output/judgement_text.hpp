// Prints how much time is lost if a table of rules is used instead of a decision.
#pragma once

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// Smallest loss that counts, as a share of the best time. Smaller losses are rounding errors.
inline constexpr double kLoses = 5e-4;

// Prints the worst cells first. `all`: prints all cells, not only the worst.
void print_judgement(const Decision& decision, const Judgement& judgement, bool all,
                     std::ostream& out);

}  // namespace tutti::inline output
