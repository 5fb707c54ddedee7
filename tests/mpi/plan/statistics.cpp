#include "sim/mpi/plan/statistics.hpp"

#include <catch2/catch.hpp>

#include <random>

namespace tutti::mpi {

TEST_CASE("Quantiles are interpolated between the nearest values") {
  CHECK(quantile({}, 0.5) == 0);
  CHECK(quantile({3}, 0.9) == 3);
  CHECK(median({4, 1, 3, 2}) == 2.5);
  CHECK(median({5, 1, 3}) == 3);
  CHECK(quantile({0, 10, 20, 30, 40}, 0.25) == 10);
}

TEST_CASE("A summary takes the slowest rank of each iteration") {
  const Summary summary = summary_of({{1, 5, 3}, {2, 2, 2}});
  CHECK(summary.iterations == 3);
  CHECK(summary.median_s == 3);
  CHECK(summary.fastest_s == 2);
  CHECK(summary.least_rank_s == 2);
  CHECK(summary.most_rank_s == 3);
  CHECK(summary_of({}).iterations == 0);
}

TEST_CASE("The confidence interval holds the true median in 95 of 100 cases") {
  const unsigned seed = 12345;
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::exponential_distribution<double> skewed(1);
  constexpr double kMedian = 0.69314718055994531;  // ln 2
  int held = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(40);
    for (double& value : values) {
      value = skewed(random);
    }
    const Interval interval = median_interval(values);
    held += interval.low <= kMedian && kMedian <= interval.high ? 1 : 0;
  }
  CHECK(held > 0.94 * kTrials);
  CHECK(held < 0.99 * kTrials);
}

TEST_CASE("With few values the confidence interval spans all of them") {
  const Interval interval = median_interval({3, 1, 2});
  CHECK(interval.low == 1);
  CHECK(interval.high == 3);
}

}  // namespace tutti::mpi
