// Ranges of predicted times, and the probability that an algorithm is among the fastest.
#pragma once

#include <vector>

namespace tutti { inline namespace simulation {

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

// A time whose natural logarithm depends linearly on independent variables, which have standard
// normal distributions.
struct UncertainTime {
  double seconds = 0;           // if all variables are 0
  std::vector<double> changes;  // of the logarithm for each variable, when it changes by 1
};

// Returns the central range that has the probability `level`, which is between 0 and 1, of the time
// multiplied by a factor whose natural logarithm is normal with the standard deviation `spread`.
[[nodiscard]] TimeRange time_range(const UncertainTime& time, double spread, double level);

// A choice counts as good if it takes at most this factor times the time of the fastest algorithm.
inline constexpr double kGoodChoice = 1.1;

// Returns, for each algorithm, the probability that it takes at most kGoodChoice times the time of
// the fastest one. All algorithms have the same variables. Each time is multiplied by a factor of
// its own, whose natural logarithm is normal with the standard deviation `spread`. A factor that
// all algorithms share has no effect.
[[nodiscard]] std::vector<double> chances_of_good_choice(const std::vector<UncertainTime>& times,
                                                         double spread);

// Returns the natural logarithm of a time; a finite one for a time of 0.
[[nodiscard]] double log_s(double seconds);

}}  // namespace tutti::simulation
