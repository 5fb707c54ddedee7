// What repeated measurements come to.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::mpi {

// Seconds of a collective, by rank and then by iteration: from the start that all ranks share to
// the rank's own end. All ranks have the same number of iterations.
using RankTimes = std::vector<std::vector<double>>;

struct Summary {
  std::uint32_t iterations = 0;
  // The slowest rank of each iteration says when the collective is over.
  double median_s = 0;
  double low_s = 0;  // the median is between these with 95 % confidence
  double high_s = 0;
  double fastest_s = 0;  // the fastest iteration
  // The smallest and the largest of the ranks' own medians.
  double least_rank_s = 0;
  double most_rank_s = 0;
};

// By iteration, the slowest rank. Empty for no ranks.
[[nodiscard]] std::vector<double> slowest_rank(const RankTimes& times);

// All zero for no iterations.
[[nodiscard]] Summary summary_of(const RankTimes& times);

// The value below which `part` (0 to 1) of the values lie, between the two nearest where it falls
// between; 0 for none.
[[nodiscard]] double quantile(std::vector<double> values, double part);
[[nodiscard]] inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

// The bounds of the 95 % confidence interval of the median, whatever the distribution: the order
// statistics n/2 -+ 1.96 sqrt(n)/2 (binomial; Hoefler and Belli, "Scientific Benchmarking of
// Parallel Computing Systems", 2015). For fewer than 6 values the smallest and the largest, which
// then hold it with less confidence.
struct Interval {
  double low = 0;
  double high = 0;
};
[[nodiscard]] Interval median_interval(std::vector<double> values);

}  // namespace tutti::mpi
