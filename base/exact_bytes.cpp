#include "base/exact_bytes.hpp"

#include <cmath>

#include "base/human.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace base {

std::string exact_bytes(std::uint64_t bytes) {
  std::string text = human_bytes(bytes);
  const std::size_t blank = text.find(' ');
  const auto number = parsed_number<double>(std::string_view(text).substr(0, blank));
  const auto unit = static_cast<int>(std::string_view("bKMGT").find(text[blank + 1]));
  return number && std::ldexp(*number, 10 * unit) == static_cast<double>(bytes)
             ? text
             : counted(bytes, "byte");
}

}}  // namespace tutti::base
