// Options whose values are words. The words are the names of an enum's values, in the enum's order.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/text_lines.hpp"

namespace tutti { inline namespace schedules {

template <typename Enum, std::size_t kCount>
[[nodiscard]] constexpr std::optional<Enum> named(const std::array<std::string_view, kCount>& names,
                                                  std::string_view text) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == text) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

}}  // namespace tutti::schedules
