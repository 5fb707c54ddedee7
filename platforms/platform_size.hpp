// Checks the size of a platform before it is loaded: one line of XML may ask for a million hosts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace pugi {
class xml_document;
}

namespace tutti::inline platforms {

struct PlatformTooLarge {
  std::ptrdiff_t offset = 0;  // position in the text of the element that exceeds the limit
  std::string what;
};

// Counts the hosts, routers and links of all clusters and cabinets before SimGrid creates them.
// Everything else has an element of its own, so that the size of the file limits it. Returns an
// error if SimGrid would need more than half of this machine's memory, or if there are more than
// 2^22 of them.
[[nodiscard]] std::optional<PlatformTooLarge> too_large(pugi::xml_document& platform);

}  // namespace tutti::inline platforms
