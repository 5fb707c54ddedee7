// Prints a comparison of two explained runs.
#pragma once

#include <iosfwd>
#include <string>

#include "src/simulation/explain/contrast.hpp"

namespace tutti::inline output {

// `names`: the names of the two runs.
void print_contrast(const Contrast& contrast, const Explanation& first, const Explanation& second,
                    const Both<std::string>& names, std::ostream& out);

}  // namespace tutti::inline output
