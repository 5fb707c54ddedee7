// Statistics of repeated measurements.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::mpi {

// Times of a collective in seconds, by rank and then by iteration: from the common start to the
// rank's own end. All ranks have the same number of iterations.
using RankTimes = std::vector<std::vector<double>>;

struct Summary {
  std::uint32_t iterations = 0;
  // The slowest rank of each iteration determines when the collective ends.
  double median_s = 0;
  double low_s = 0;  // 95 % confidence interval of the median
  double high_s = 0;
  double fastest_s = 0;  // the fastest iteration
  // The smallest and the largest of the ranks' own medians.
  double least_rank_s = 0;
  double most_rank_s = 0;
};

// Returns the time of the slowest rank, by iteration. Empty for no ranks.
[[nodiscard]] std::vector<double> slowest_rank(const RankTimes& times);

// Returns zeros for no iterations.
[[nodiscard]] Summary summary_of(const RankTimes& times);

// Returns the value below which `part` (0 to 1) of the values lie, interpolated between the two
// nearest values; 0 for no values.
[[nodiscard]] double quantile(std::vector<double> values, double part);
[[nodiscard]] inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

// Bounds of the 95 % confidence interval of the median, for any distribution: the order statistics
// n/2 -+ 1.96 sqrt(n)/2 (binomial; Hoefler and Belli, "Scientific Benchmarking of Parallel
// Computing Systems", 2015). For fewer than 6 values, the bounds are the smallest and the largest,
// and the confidence is lower.
struct Interval {
  double low = 0;
  double high = 0;
};
[[nodiscard]] Interval median_interval(std::vector<double> values);

}  // namespace tutti::mpi
