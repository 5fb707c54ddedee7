// The behaviour of a broadcast in two halves if a segment is longer than a half.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

enum class Fallback : std::uint8_t {
  none,    // sends each half as one segment
  linear,  // becomes the linear broadcast: the rule of [schedule document]
};
inline constexpr std::array<std::string_view, 2> kFallbackNames{"none", "linear"};

}  // namespace tutti::inline schedules
