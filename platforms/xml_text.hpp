// Parses XML with pugixml.
#pragma once

#include <pugixml.hpp>

#include <new>
#include <string>

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

}}  // namespace tutti::platforms
