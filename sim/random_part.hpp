// Pseudorandom numbers that are a function of their arguments only, and equal on every machine.
#pragma once

#include <cstdint>

namespace tutti { inline namespace sim {

// splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
[[nodiscard]] constexpr std::uint64_t mixed_bits(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

// Returns a pseudorandom number in [0, 1) that depends only on `seed` and `of`.
[[nodiscard]] constexpr double random_part(std::uint64_t seed, std::uint64_t of) {
  return static_cast<double>(mixed_bits(seed ^ mixed_bits(of)) >> 11U) * 0x1p-53;
}

}}  // namespace tutti::sim
