// Checks the size of a platform before SimGrid loads it, because one line of XML may ask for a
// million hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace pugi {
class xml_document;
}

namespace tutti { inline namespace platforms {

struct PlatformTooLarge {
  // Position of the element that exceeds the limit, in bytes from the start of the text.
  std::ptrdiff_t offset = 0;
  std::string what;
};

// Counts the hosts, routers and links of all clusters and cabinets before SimGrid creates them.
// Every other host, router or link needs its own XML element, so the size of the file limits their
// number. Returns an error if SimGrid would need more than half of this machine's memory, or if
// there are more than 2^22 hosts, routers and links.
[[nodiscard]] std::optional<PlatformTooLarge> too_large(pugi::xml_document& platform);
// Throws UserError, which names the line, if too_large() returns an error for this text.
void check_size(const std::string& xml, const std::string& file);
// Like check_size() above, for a platform of `file` that has its hosts and links only in SimGrid.
void check_size(std::uint32_t hosts, std::uint32_t links, const std::string& file);

}}  // namespace tutti::platforms
