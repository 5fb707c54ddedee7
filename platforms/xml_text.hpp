// Parses XML with pugixml, and splits lists in attributes.
#pragma once

#include <pugixml.hpp>

#include <cstddef>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace platforms {

// Parses XML, and throws std::bad_alloc if memory runs out. pugixml alone would report the lack of
// memory in the same way as invalid XML, which callers may ignore.
inline pugi::xml_parse_result parse_xml(pugi::xml_document& document, const std::string& text) {
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (parsed.status == pugi::status_out_of_memory) {
    throw std::bad_alloc();
  }
  return parsed;
}

// Splits `text` at the separator. Returns at least one part. Parts may be empty, and they point
// into `text`.
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

}}  // namespace tutti::platforms
