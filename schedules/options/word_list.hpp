// Options whose values are words. The words are the names of an enum's values, in the enum's order.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tutti::inline schedules {

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

// Joins names into a text such as "chain, binary or binomial".
[[nodiscard]] inline std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace tutti::inline schedules
