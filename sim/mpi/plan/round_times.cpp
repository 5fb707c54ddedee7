#include "sim/mpi/plan/round_times.hpp"

#include <algorithm>

namespace tutti::mpi {

double fastest_s(const RoundTimes& rounds) {
  return rounds.empty() ? 0 : *std::min_element(rounds.begin(), rounds.end());
}

double apart_s(const RoundTimes& rounds) {
  if (rounds.size() < kAlikeRounds) {
    return fastest_s(rounds);
  }
  RoundTimes sorted = rounds;
  const auto last = sorted.begin() + (kAlikeRounds - 1);
  std::nth_element(sorted.begin(), last, sorted.end());
  return *last - fastest_s(rounds);
}

bool settled(const RoundTimes& rounds) {
  return rounds.size() >= kAlikeRounds && apart_s(rounds) <= kAlikeWithin * fastest_s(rounds);
}

RoundTimes redrawn(const RoundTimes& rounds, std::mt19937& random) {
  RoundTimes drawn;
  drawn.reserve(rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    // std::uniform_int_distribution is not used, because its results depend on the C++ library.
    drawn.push_back(rounds[random() % rounds.size()]);
  }
  return drawn;
}

}  // namespace tutti::mpi
