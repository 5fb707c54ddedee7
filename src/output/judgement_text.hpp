// What a table of rules loses against a decision.
#pragma once

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// Smaller losses are rounding errors.
inline constexpr double kLoses = 5e-4;

// The worst cells first; `all` of them, or a few.
void print_judgement(const Decision& decision, const Judgement& judgement, bool all,
                     std::ostream& out);

}  // namespace tutti::inline output
