// The ways in which an algorithm for p' ranks is extended to p ranks, where p' is the largest power
// of two up to p. For this, p - p' ranks are each paired with another rank, which acts for both.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti { inline namespace schedules {

enum class Fold : std::uint8_t {
  // Pairs ranks 2i and 2i+1, for i < p - p'. Keeps rank order, and is MPICH's choice.
  neighbours,
  // Pairs ranks i and i+p', as in [schedule document].
  far,
};
inline constexpr std::array<std::string_view, 2> kFoldNames{"neighbours", "far"};

[[nodiscard]] constexpr std::string_view name(Fold fold) {
  return kFoldNames[static_cast<std::size_t>(fold)];
}

}}  // namespace tutti::schedules
