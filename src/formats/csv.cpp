#include "src/formats/csv.hpp"

#include <fmt/format.h>

namespace tutti::inline formats {

std::string csv_field(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '"');
  }
  return fmt::format("\"{}\"", text);
}

}  // namespace tutti::inline formats
