// Describes a crossbar in SimGrid's XML.
#pragma once

#include <string>

#include "platforms/platform.hpp"

namespace tutti { inline namespace platforms {

// Returns the text of a platform file with one <cluster> of hosts "node-0", "node-1", ... Each
// split-duplex link has half of `latency_s`, so that the latencies of the two links of a route sum
// to exactly `latency_s`. SimGrid reads the numbers back as the same doubles. Throws UserError for
// impossible numbers.
[[nodiscard]] std::string crossbar_xml(const Crossbar& crossbar);

}}  // namespace tutti::platforms
