// Small arithmetic that several algorithms share.
#pragma once

#include <bit>
#include <cstdint>

namespace tutti {

// ceil(lg p); 0 for p = 1.
[[nodiscard]] constexpr std::uint32_t ceil_log2(std::uint32_t p) {
  return static_cast<std::uint32_t>(std::bit_width(p - 1));
}

// floor(lg p), p >= 1.
[[nodiscard]] constexpr std::uint32_t floor_log2(std::uint32_t p) {
  return static_cast<std::uint32_t>(std::bit_width(p)) - 1;
}

// p': the largest power of two not above p.
[[nodiscard]] constexpr std::uint32_t power_of_two_below(std::uint32_t p) {
  return std::bit_floor(p);
}

}  // namespace tutti
