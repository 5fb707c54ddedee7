// The blocks that a circulant reduce-scatter copies from the input before its first round.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

enum class Copies : std::uint8_t {
  all,   // every block, as Algorithm 1 of its source does
  half,  // only the blocks that the first round does not send; it sends the others from the input
};
inline constexpr std::array<std::string_view, 2> kCopiesNames{"all", "half"};

}  // namespace tutti::inline schedules
