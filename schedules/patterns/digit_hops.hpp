// Hops by the digits of distances in base K. In phase i every rank sends to the ranks at the
// distances K^i, 2 K^i, ..., (K - 1) K^i, as far as these are less than p, all at once. With a list
// of bases, one for each phase, the product of the bases of all earlier phases replaces K^i.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti { inline namespace schedules {

// Returns the bases of as many phases as are needed for p ranks: those of `radices`, of which the
// last one is repeated.
[[nodiscard]] inline std::vector<std::uint32_t> radices_for(
    std::uint32_t p, const std::vector<std::uint32_t>& radices) {
  std::vector<std::uint32_t> used;
  for (std::uint64_t reached = 1; reached < p; reached *= used.back()) {
    used.push_back(radices[std::min(used.size(), radices.size() - 1)]);
  }
  return used;
}

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

[[nodiscard]] inline std::vector<HopPhase> hop_phases(std::uint32_t p,
                                                      const std::vector<std::uint32_t>& radices) {
  std::vector<HopPhase> phases;
  std::uint64_t distance = 1;
  for (const std::uint32_t radix : radices) {
    const auto near = static_cast<std::uint32_t>(distance);
    phases.push_back({near, std::min(radix - 1, (p - 1) / near)});
    distance *= radix;
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
  std::uint32_t most = 0;
  for (const HopPhase& phase : phases) {
    most = std::max(most, phase.hops);
  }
  return most;
}

}}  // namespace tutti::schedules
