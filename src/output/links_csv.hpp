// CSV output of the bytes that links carried, and of the time lost to sharing them.
#pragma once

#include <iosfwd>

#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline output {

// Writes a line for each link that was used, in the order of Explanation::links.
void write_links_csv(const Explanation& explanation, std::ostream& out);

}  // namespace tutti::inline output
