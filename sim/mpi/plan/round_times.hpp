// Estimates the undisturbed time of a run that is measured once per round, and the uncertainty of
// that time.
//
// Disturbances can only increase a time, so the fastest round is nearest to the undisturbed time.
// If the few fastest rounds agree, the fastest is unlikely to be an outlier.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace tutti::mpi {

// Times of a run in seconds, by round.
using RoundTimes = std::vector<double>;

// The time of a run is settled if the fastest kAlikeRounds rounds differ by at most the share
// kAlikeWithin.
inline constexpr std::size_t kAlikeRounds = 3;
inline constexpr double kAlikeWithin = 0.1;

// Returns the time of the fastest round; 0 if there are no rounds.
[[nodiscard]] double fastest_s(const RoundTimes& rounds);
// Returns the largest difference between the kAlikeRounds fastest rounds. If there are fewer
// rounds, the uncertainty is unknown, so returns the time of the fastest round.
[[nodiscard]] double apart_s(const RoundTimes& rounds);
[[nodiscard]] bool settled(const RoundTimes& rounds);

// Returns as many rounds as `rounds` has, drawn from them at random with replacement (for a
// bootstrap).
[[nodiscard]] RoundTimes redrawn(const RoundTimes& rounds, std::mt19937& random);

}  // namespace tutti::mpi
