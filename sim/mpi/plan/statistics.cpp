#include "sim/mpi/plan/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::mpi {

std::vector<double> slowest_rank(const RankTimes& times) {
  std::vector<double> slowest;
  for (const std::vector<double>& of_rank : times) {
    slowest.resize(of_rank.size(), 0);
    for (std::size_t i = 0; i < of_rank.size(); ++i) {
      slowest[i] = std::max(slowest[i], of_rank[i]);
    }
  }
  return slowest;
}

Summary summary_of(const RankTimes& times) {
  const std::vector<double> slowest = slowest_rank(times);
  Summary summary;
  if (slowest.empty()) {
    return summary;
  }
  summary.iterations = static_cast<std::uint32_t>(slowest.size());
  summary.median_s = median(slowest);
  const Interval interval = median_interval(slowest);
  summary.low_s = interval.low;
  summary.high_s = interval.high;
  summary.fastest_s = *std::min_element(slowest.begin(), slowest.end());
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    const double of_rank_s = median(times[rank]);
    summary.least_rank_s = rank == 0 ? of_rank_s : std::min(summary.least_rank_s, of_rank_s);
    summary.most_rank_s = std::max(summary.most_rank_s, of_rank_s);
  }
  return summary;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const double at = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - std::floor(at)) * (values[above] - values[below]);
}

Interval median_interval(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  constexpr double kNormal95 = 1.96;
  const double reach = kNormal95 * std::sqrt(n);
  const double low = std::floor((n - reach) / 2);  // position in the sorted values, from 1
  const double high = std::ceil(1 + (n + reach) / 2);
  const auto at = [&](double position) {
    return values[static_cast<std::size_t>(std::clamp(position, 1.0, n)) - 1];
  };
  return {at(low), at(high)};
}

}  // namespace tutti::mpi
