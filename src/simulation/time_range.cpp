#include "src/simulation/time_range.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace tutti::inline simulation {

namespace {

constexpr double kShort = 1e-12;  // replaces a time of 0, which has no logarithm
constexpr double kNoSpread = 1e-6;

double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double log_s(double seconds) { return std::log(std::max(seconds, kShort)); }

}  // namespace

TimeRange time_range(std::span<const double> drawn_s, double spread, double level) {
  TUTTI_INVARIANT(!drawn_s.empty() && level > 0 && level < 1);
  const double width = std::max(spread, kNoSpread);
  const auto [least, most] = std::minmax_element(drawn_s.begin(), drawn_s.end());
  const auto quantile = [&](double share) {
    constexpr double kFar = 9;  // standard deviations; beyond, the probability is below 1e-18
    constexpr int kHalvings = 60;
    double low = log_s(*least) - kFar * width;
    double high = log_s(*most) + kFar * width;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      double below = 0;
      for (const double seconds : drawn_s) {
        below += normal_cdf((middle - log_s(seconds)) / width);
      }
      (below < share * static_cast<double>(drawn_s.size()) ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
  };
  return {quantile((1 - level) / 2), quantile((1 + level) / 2)};
}

std::vector<double> chances_of_good_choice(const std::vector<std::vector<double>>& drawn_s,
                                           double spread) {
  // The factor of one algorithm is integrated over by the rectangle rule. Given this factor, the
  // factors of the others are independent.
  constexpr int kSteps = 80;
  constexpr double kFar = 5;
  const double width = std::max(spread, kNoSpread);
  const double margin = std::log(kGoodChoice);
  std::vector<double> chances;
  for (std::size_t a = 0; a < drawn_s.size(); ++a) {
    double sum = 0;
    double total = 0;
    for (int step = -kSteps; step <= kSteps; ++step) {
      const double z = kFar * step / kSteps;
      const double density = std::exp(-z * z / 2);
      for (std::size_t k = 0; k < drawn_s[a].size(); ++k) {
        const double own = log_s(drawn_s[a][k]) + width * z - margin;
        double none_faster = 1;
        for (std::size_t b = 0; b < drawn_s.size(); ++b) {
          none_faster *= b == a ? 1 : normal_cdf((log_s(drawn_s[b][k]) - own) / width);
        }
        sum += density * none_faster;
        total += density;
      }
    }
    chances.push_back(std::min(sum / total, 1.0));
  }
  return chances;
}

}  // namespace tutti::inline simulation
