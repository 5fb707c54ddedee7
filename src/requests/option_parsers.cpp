#include "src/requests/option_parsers.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tutti { inline namespace requests {

std::uint32_t option_positive_count(std::string_view from, std::string_view text,
                                    std::uint32_t most) {
  const std::uint32_t count = parse_count(from, text, most);
  if (count == 0) {
    throw UserError(most == kNoLimit ? fmt::format("{} '0': must be at least 1", from)
                                     : fmt::format("{} '0': must be from 1 to {}", from, most));
  }
  return count;
}

}}  // namespace tutti::requests
