// XML as pugixml reads it, and lists in its attributes.
#pragma once

#include <pugixml.hpp>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline platforms {

// pugixml tells of a lack of memory as it tells of bad XML, which callers may take lightly. Throws
// std::bad_alloc.
inline pugi::xml_parse_result parse_xml(pugi::xml_document& document, const std::string& text) {
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (parsed.status == pugi::status_out_of_memory) {
    throw std::bad_alloc();
  }
  return parsed;
}

// What stands between the separators: at least one part, which may be empty. Points into `text`.
inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

}  // namespace tutti::inline platforms
