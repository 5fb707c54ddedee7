// Ranges of predicted times, and the probability that an algorithm is among the fastest.
#pragma once

#include <span>
#include <vector>

namespace tutti::inline simulation {

struct TimeRange {
  double low_s = 0;
  double high_s = 0;

  [[nodiscard]] bool holds(double seconds) const { return low_s <= seconds && seconds <= high_s; }
};

// A range with its probability.
struct SureRange {
  double level = 0;
  TimeRange range;
};

// Returns the central range that has the probability `level`, which is between 0 and 1. The
// distribution of the time is a mixture: one of `drawn_s`, in seconds, times a factor whose natural
// logarithm is normal with the standard deviation `spread`. `drawn_s` must not be empty.
[[nodiscard]] TimeRange time_range(std::span<const double> drawn_s, double spread, double level);

// A choice counts as good if it takes at most this factor times the time of the fastest algorithm.
inline constexpr double kGoodChoice = 1.1;

// Returns, for each algorithm, the probability that it takes at most kGoodChoice times the time of
// the fastest one. `drawn_s` has one list for each algorithm, all of the same length: its time with
// each of the drawn models, in seconds. Each time is multiplied by a factor of its own, whose
// natural logarithm is normal with the standard deviation `spread`. A factor that all algorithms of
// a job share has no effect.
[[nodiscard]] std::vector<double> chances_of_good_choice(
    const std::vector<std::vector<double>>& drawn_s, double spread);

}  // namespace tutti::inline simulation
