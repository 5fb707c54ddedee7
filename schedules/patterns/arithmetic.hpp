// Small arithmetic that several algorithms share.
#pragma once

#include <bit>
#include <cstdint>

namespace tutti { inline namespace schedules {

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

// Reverses the order of the lowest `bits` bits of v, which has no higher bits set.
[[nodiscard]] constexpr std::uint32_t mirrored(std::uint32_t v, std::uint32_t bits) {
  std::uint32_t mirror = 0;
  for (std::uint32_t bit = 0; bit < bits; ++bit) {
    mirror |= (v >> bit & 1U) << (bits - 1 - bit);
  }
  return mirror;
}

}}  // namespace tutti::schedules
