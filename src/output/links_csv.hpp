// Writes CSV with the bytes that each link carried, and the time that was lost because messages
// shared the link.
#pragma once

#include <iosfwd>

#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline output {

// Writes a line for each link that was used, in the order of Explanation::links.
void write_links_csv(const Explanation& explanation, std::ostream& out);

}  // namespace tutti::inline output
