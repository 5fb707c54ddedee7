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
  double low_s = 0;  // lower end of the median's 95 % confidence interval
  double high_s = 0;
  double fastest_s = 0;  // the fastest iteration
  // The smallest and the largest of the medians of single ranks.
  double least_rank_s = 0;
  double most_rank_s = 0;
};

// Returns the time of the slowest rank, by iteration. Returns an empty list if there are no ranks.
[[nodiscard]] std::vector<double> slowest_rank(const RankTimes& times);

// Returns a summary of zeros if there are no iterations.
[[nodiscard]] Summary summary_of(const RankTimes& times);

// Returns the value below which a share of `part` (0 to 1) of all values lies, interpolated between
// the two nearest values. Returns 0 if there are no values.
[[nodiscard]] double quantile(std::vector<double> values, double part);
[[nodiscard]] inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

// The 95 % confidence interval of the median, for any distribution. Its bounds are the order
// statistics n/2 -+ 1.96 sqrt(n)/2 (binomial; Hoefler and Belli, "Scientific Benchmarking of
// Parallel Computing Systems", 2015). With fewer than 6 values, the bounds are the smallest and the
// largest value, and the confidence is lower.
struct Interval {
  double low = 0;
  double high = 0;
};
[[nodiscard]] Interval median_interval(std::vector<double> values);

}  // namespace tutti::mpi
