// SimGrid XML for a crossbar.
#pragma once

#include <string>

#include "platforms/platform.hpp"

namespace tutti::inline platforms {

// The text of a platform file: one <cluster> of hosts "node-0", "node-1", ... whose split-duplex
// links have half of latency_s each, so that the two links of a route sum to it exactly. Numbers
// read back as the same doubles.
// Throws UserError for numbers that no platform can have.
[[nodiscard]] std::string crossbar_xml(const Crossbar& crossbar);

}  // namespace tutti::inline platforms
