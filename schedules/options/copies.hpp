// The blocks that a circulant reduce-scatter copies from the input before its first round.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class Copies : std::uint8_t {
  // Copies every block, as Algorithm 1 in the circulant algorithm's source does.
  all,
  // Copies only the blocks that the first round does not send. The first round sends all other
  // blocks directly from the input.
  half,
};
inline constexpr std::array<std::string_view, 2> kCopiesNames{"all", "half"};

}}  // namespace tutti::schedules
