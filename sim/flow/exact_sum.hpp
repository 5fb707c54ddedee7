// Sums that do not depend on the order of their terms.
//
// The level of a link (link_filling.hpp) follows from two sums over the flows on the link: the sum
// of all claims, and the bandwidth of the flows that are held back elsewhere. In floating point,
// another order of terms changes the last bit of a sum, and a schedule that amplifies rounding
// errors then has another result. So both sums are integers. A level is then the same to the last
// bit, whether it was computed step by step or anew.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tutti { inline namespace sim {

// A sum of weights, in units of 2^-56. A weight is represented exactly if the latency of its route
// is at most 8 s.
__extension__ using ExactClaim = __int128;

[[nodiscard]] inline ExactClaim exact_claim(double claim) {
  // Larger weights could make the sum overflow. They occur only with latencies below 1e-18 s.
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

// The whole capacity of a link, in the integer units in which parts of the capacity are summed.
inline constexpr std::int64_t kWhole = std::int64_t{1} << 60U;

[[nodiscard]] inline std::int64_t exact_part(double bytes_per_s, double capacity_bytes_per_s) {
  return static_cast<std::int64_t>(bytes_per_s / capacity_bytes_per_s *
                                   static_cast<double>(kWhole));
}

// Returns the level of a link: the bandwidth per unit of weight for the flows that share `rest`,
// the part of the capacity that the other flows leave.
[[nodiscard]] inline double level_of_rest(double capacity_bytes_per_s, std::int64_t rest,
                                          ExactClaim claims) {
  return capacity_bytes_per_s * (static_cast<double>(rest) * 0x1p-60) / as_double(claims);
}

}}  // namespace tutti::sim
