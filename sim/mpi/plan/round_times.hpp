// A run that is measured repeatedly, in rounds that measure everything: its undisturbed time, and
// how well that is known.
//
// Disturbances only ever increase a time, so the fastest round is nearest to the true time. If
// several of the fastest rounds agree, the fastest is unlikely to be an outlier.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace tutti::mpi {

// Seconds, by round.
using RoundTimes = std::vector<double>;

// Number of fastest rounds that must agree, and the largest relative difference between them.
inline constexpr std::size_t kAlikeRounds = 3;
inline constexpr double kAlikeWithin = 0.1;

// 0 if there are no rounds.
[[nodiscard]] double fastest_s(const RoundTimes& rounds);
// Returns the difference between the kAlikeRounds fastest rounds. With fewer rounds nothing is
// known, so it returns the whole time.
[[nodiscard]] double apart_s(const RoundTimes& rounds);
[[nodiscard]] bool settled(const RoundTimes& rounds);

// Draws the same number of rounds from these, with replacement (a bootstrap).
[[nodiscard]] RoundTimes redrawn(const RoundTimes& rounds, std::mt19937& random);

}  // namespace tutti::mpi
