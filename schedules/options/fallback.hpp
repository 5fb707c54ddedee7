// The behaviour of a broadcast that sends two halves of the vector, if a segment would be longer
// than a half.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class Fallback : std::uint8_t {
  // Sends each half as one segment.
  none,
  // Uses the linear broadcast instead, as in [schedule document].
  linear,
};
inline constexpr std::array<std::string_view, 2> kFallbackNames{"none", "linear"};

}}  // namespace tutti::schedules
