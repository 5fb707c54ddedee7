// Sums over all ranks in ceil(log_K p) phases, for any p. Every rank has two partial sums: that of
// the k ranks before it, and that of these ranks and itself. p-1 is written in base K, the highest
// digit first. In the phase of digit d every rank receives K - 1 sums of ranks further away, d of
// them with the sender's own contribution, so that k becomes K k + d. After the last phase, k is
// p-1. In the first phase, where k is 0, only the d sums with the own contribution are sent. K may
// differ from phase to phase.
//
// Source: Bar-Noy, Kipnis and Schieber, "An optimal algorithm for computing census functions in
// message-passing systems", Parallel Processing Letters 3(1), 1993, for K = 2; Bruck and Ho,
// "Efficient global combine operations in multi-port message-passing systems", Parallel Processing
// Letters 3(4), 1993, for K - 1 ports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tutti { inline namespace schedules {

struct CensusMessage {
  std::uint32_t distance;  // rank r sends to rank r + distance, modulo p
  bool with_own;           // the sum includes the sender's own contribution
};
// The messages that every rank sends in a phase, the nearest receiver first.
using CensusPhase = std::vector<CensusMessage>;

// Returns the phases with the given values of K, whose product must be at least `ranks`.
[[nodiscard]] std::vector<CensusPhase> census_phases(std::uint32_t ranks,
                                                     const std::vector<std::uint32_t>& radices);

[[nodiscard]] inline bool sends_own(const CensusPhase& phase) { return phase.front().with_own; }
[[nodiscard]] inline bool sends_others(const CensusPhase& phase) { return !phase.back().with_own; }

// True if a phase from `first` on sends a sum without the own contribution.
[[nodiscard]] inline bool sends_others_from(const std::vector<CensusPhase>& phases,
                                            std::size_t first) {
  return first < phases.size() && std::any_of(phases.begin() + static_cast<std::ptrdiff_t>(first),
                                              phases.end(), sends_others);
}

}}  // namespace tutti::schedules
