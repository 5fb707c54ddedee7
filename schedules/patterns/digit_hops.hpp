// Hops by digits: the distances from any rank to all others, in base K. In phase i every rank sends
// over 1, 2, ..., K - 1 times K^i ranks, as far as they are less than p, all at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti::inline schedules {

struct HopPhase {
  std::uint32_t distance;  // K^i
  std::uint32_t hops;      // over distance, 2 distance, ..., hops * distance
};

[[nodiscard]] inline std::vector<HopPhase> hop_phases(std::uint32_t p, std::uint32_t radix) {
  std::vector<HopPhase> phases;
  for (std::uint64_t distance = 1; distance < p; distance *= radix) {
    const auto near = static_cast<std::uint32_t>(distance);
    phases.push_back({near, std::min(radix - 1, (p - 1) / near)});
  }
  return phases;
}

// Of one rank, in all phases.
[[nodiscard]] inline std::uint32_t hop_messages(const std::vector<HopPhase>& phases) {
  std::uint32_t sum = 0;
  for (const HopPhase& phase : phases) {
    sum += phase.hops;
  }
  return sum;
}

[[nodiscard]] inline std::uint32_t most_hops(const std::vector<HopPhase>& phases) {
  return phases.empty() ? 0 : phases.front().hops;
}

}  // namespace tutti::inline schedules
