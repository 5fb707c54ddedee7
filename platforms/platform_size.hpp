// How large a platform gets when it is loaded: a line of XML may ask for a million hosts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace pugi {
class xml_document;
}

namespace tutti::inline platforms {

struct PlatformTooLarge {
  std::ptrdiff_t offset = 0;  // in the text, of the element with which it becomes so
  std::string what;
};

// Hosts, routers and links of all clusters and cabinets are counted before any of them is made;
// whatever else there is has an element of its own, and is as large as the file. Something if what
// SimGrid takes for them is more than half of this machine's memory, or there are more than 2^22.
[[nodiscard]] std::optional<PlatformTooLarge> too_large(pugi::xml_document& platform);

}  // namespace tutti::inline platforms
