// Prints in which cells the best algorithm of a comparison depends on an assumption.
#pragma once

#include <iosfwd>

#include "src/experiments/decisions/assumptions.hpp"

namespace tutti { inline namespace output {

// Prints nothing if no assumption matters.
void print_assumptions(const Comparison& comparison, const Assumptions& assumptions,
                       std::ostream& out);

}}  // namespace tutti::output
