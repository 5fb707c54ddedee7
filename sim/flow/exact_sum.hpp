// Sums that do not hang on the order in which they are made.
//
// A level (rate_repair.hpp) follows from two sums over the flows of a link: what they claim, and
// what those take that are held back elsewhere. Of numbers in floating point such a sum has another
// last bit in another order, and where a schedule multiplies rounding, another result. So both are
// sums of whole numbers: a level is the same to the bit however it was come by, step by step or
// anew.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tutti {

// Weights, in units that no weight of a route with up to 0.2 ms of latency has digits below.
__extension__ using ExactClaim = __int128;

[[nodiscard]] inline ExactClaim exact_claim(double claim) {
  constexpr double kUnits = 1099511627776.0;  // 2^40
  // Beyond, which is latencies below 1e-18 s, so many flows could not be added up.
  constexpr double kMost = 1152921504606846976.0;  // 2^60
  const double units = claim * kUnits;
  if (units < 4.0 * kMost) [[likely]] {
    return static_cast<std::int64_t>(units);
  }
  return static_cast<ExactClaim>(std::min(claim, kMost) * kUnits);
}

// In any one unit.
[[nodiscard]] inline double as_double(ExactClaim claims) {
  constexpr double kUnit = 1 / 1099511627776.0;
  const auto low = static_cast<std::int64_t>(claims);
  return (low == claims ? static_cast<double>(low) : static_cast<double>(claims)) * kUnit;
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

}  // namespace tutti
