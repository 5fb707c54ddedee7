// SimGrid XML for a crossbar.
#pragma once

#include <string>

#include "platforms/platform.hpp"

namespace tutti::inline platforms {

// Returns the text of a platform file with one <cluster> of hosts "node-0", "node-1", ... Each
// split-duplex link has half of latency_s, so that the two links of a route sum to it exactly.
// Numbers read back as the same doubles. Throws UserError for impossible numbers.
[[nodiscard]] std::string crossbar_xml(const Crossbar& crossbar);

}  // namespace tutti::inline platforms
