// Two explained runs against each other, for people and for programs.
#pragma once

#include <iosfwd>
#include <string>

#include "src/simulation/explain/contrast.hpp"

namespace tutti::inline output {

// `names`: what the two are called.
void print_contrast(const Contrast& contrast, const Explanation& first, const Explanation& second,
                    const Both<std::string>& names, std::ostream& out);

}  // namespace tutti::inline output
