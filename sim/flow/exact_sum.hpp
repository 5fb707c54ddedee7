// Sums that do not hang on the order in which they are made.
//
// A level (rate_repair.hpp) follows from two sums over the flows of a link: what they claim, and
// what those take that are held back elsewhere. Of numbers in floating point such a sum has another
// last bit in another order, and where a schedule multiplies rounding, another result. So both are
// sums of whole numbers: a level is the same to the bit however it was come by, step by step or
// anew.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tutti::inline sim {

// Weights, in units of 2^-56: no weight of a route of up to 8 s of latency has digits below.
__extension__ using ExactClaim = __int128;

[[nodiscard]] inline ExactClaim exact_claim(double claim) {
  // Weights beyond, which is latencies below 1e-18 s, could not be added up.
  constexpr double kMost = 0x1p60;
  constexpr int kDigits = 52;
  const auto bits = std::bit_cast<std::uint64_t>(std::min(claim, kMost));
  const auto exponent = static_cast<int>(bits >> static_cast<unsigned>(kDigits));
  const std::uint64_t leading = std::uint64_t{1} << static_cast<unsigned>(kDigits);
  const ExactClaim digits = (bits & (leading - 1)) | leading;
  const int shift = exponent - 1023 - kDigits + 56;
  if (shift >= 0) [[likely]] {
    return digits << shift;
  }
  return shift > -64 ? digits >> -shift : 0;
}

[[nodiscard]] inline double as_double(ExactClaim claims) {
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 56U) - 1;
  return static_cast<double>(static_cast<std::int64_t>(claims >> 56)) +
         static_cast<double>(static_cast<std::uint64_t>(claims) & kFraction) * 0x1p-56;
}

// A part of a link's capacity, the whole of which is kWhole.
inline constexpr std::int64_t kWhole = std::int64_t{1} << 60U;

[[nodiscard]] inline std::int64_t exact_part(double bytes_per_s, double capacity_bytes_per_s) {
  return static_cast<std::int64_t>(bytes_per_s / capacity_bytes_per_s *
                                   static_cast<double>(kWhole));
}

// What a link gives for each unit of weight to those flows that take all that others leave.
[[nodiscard]] inline double level_of_rest(double capacity_bytes_per_s, std::int64_t rest,
                                          ExactClaim claims) {
  return capacity_bytes_per_s * (static_cast<double>(rest) * 0x1p-60) / as_double(claims);
}

}  // namespace tutti::inline sim
