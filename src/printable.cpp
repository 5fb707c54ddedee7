#include "src/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti {

namespace {

// Bytes of the character that the text begins with; 0 where it is none that is to be shown.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) {
    return first < 0x20 || first == 0x7f ? 0 : 1;
  }
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) {
    return 0;
  }
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) {
      return 0;
    }
  }
  const bool control = first == 0xc2 && byte(1) < 0xa0;
  const bool too_long = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool no_character =
      (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return control || too_long || no_character ? 0 : size;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = shown_bytes(text);
    if (size > 0) {
      result += text.substr(0, size);
    } else {
      const char c = text.front();
      result += c == '\n' || c == '\r' || c == '\t' ? ' ' : '?';
    }
    text.remove_prefix(size > 0 ? size : 1);
  }
  return result;
}

}  // namespace tutti
