// XML as pugixml reads it.
#pragma once

#include <pugixml.hpp>

#include <new>
#include <string>

namespace tutti {

// pugixml tells of a lack of memory as it tells of bad XML, which callers may take lightly. Throws
// std::bad_alloc.
inline pugi::xml_parse_result parse_xml(pugi::xml_document& document, const std::string& text) {
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (parsed.status == pugi::status_out_of_memory) {
    throw std::bad_alloc();
  }
  return parsed;
}

}  // namespace tutti
