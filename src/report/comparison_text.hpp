// Many runs side by side, for people.
#pragma once

#include <iosfwd>

#include "src/experiments/comparison.hpp"

namespace tutti {

void print_comparison(const Comparison& comparison, std::ostream& out);

}  // namespace tutti
