// One run, measured again and again in rounds over everything: what it takes when nothing disturbs
// it, and how well that is known.
//
// Disturbances only ever add to a time, so the fastest round is the nearest to the truth; and where
// several of the fastest are alike, it is hardly one of luck.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace tutti::mpi {

// Seconds, by round.
using RoundTimes = std::vector<double>;

// So many of the fastest must be alike, the slowest of them longer by no more than this part.
inline constexpr std::size_t kAlikeRounds = 3;
inline constexpr double kAlikeWithin = 0.1;

// 0 where there is no round.
[[nodiscard]] double fastest_s(const RoundTimes& rounds);
// How far the fastest kAlikeRounds are apart; of fewer rounds, all that there is: nothing is known.
[[nodiscard]] double apart_s(const RoundTimes& rounds);
[[nodiscard]] bool settled(const RoundTimes& rounds);

// As many rounds, drawn from these (a bootstrap).
[[nodiscard]] RoundTimes redrawn(const RoundTimes& rounds, std::mt19937& random);

}  // namespace tutti::mpi
