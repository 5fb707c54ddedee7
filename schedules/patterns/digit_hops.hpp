// Hops by the digits of distances in base K. In phase i every rank sends to the ranks at the
// distances K^i, 2 K^i, ..., (K - 1) K^i, as far as these are less than p, all at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti::inline schedules {

struct HopPhase {
  std::uint32_t distance;  // K^i
  std::uint32_t hops;      // number of hops: over `distance`, 2 `distance`, ..., `hops` `distance`
};

[[nodiscard]] inline std::vector<HopPhase> hop_phases(std::uint32_t p, std::uint32_t radix) {
  std::vector<HopPhase> phases;
  for (std::uint64_t distance = 1; distance < p; distance *= radix) {
    const auto near = static_cast<std::uint32_t>(distance);
    phases.push_back({near, std::min(radix - 1, (p - 1) / near)});
  }
  return phases;
}

// Number of messages that one rank sends in all phases.
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
