// Formats a count with its noun, as "1 element" or "3 elements". Works only for nouns whose plural
// is formed with an s.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti { inline namespace base {

[[nodiscard]] inline std::string number_of(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}}  // namespace tutti::base
