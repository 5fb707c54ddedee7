// How an algorithm for a power of two of ranks includes the ranks beyond it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tutti::inline schedules {

enum class Fold : std::uint8_t {
  neighbours,  // ranks 2i and 2i+1 of the first 2(p-p'): keeps rank order (MPICH)
  far,         // ranks i and i+p': [schedule document]
};
inline constexpr std::array<std::string_view, 2> kFoldNames{"neighbours", "far"};

[[nodiscard]] constexpr std::string_view name(Fold fold) {
  return kFoldNames[static_cast<std::size_t>(fold)];
}

}  // namespace tutti::inline schedules
