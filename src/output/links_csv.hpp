// What links carried and what was lost to them, as comma-separated values.
#pragma once

#include <iosfwd>

#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline output {

// Writes a line for each link that was used, those that cost most first.
void write_links_csv(const Explanation& explanation, std::ostream& out);

}  // namespace tutti::inline output
