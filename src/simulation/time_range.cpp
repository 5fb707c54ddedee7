#include "src/simulation/time_range.hpp"

#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace simulation {

namespace {

constexpr double kNoSpread = 1e-6;

double normal_cdf(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

// Returns how many standard deviations on either side of the mean of a normal distribution have
// the probability `level`.
double normal_width(double level) {
  // Only double: tables of long double would be computed whenever any command starts.
  using namespace boost::math::policies;  // NOLINT(google-build-using-namespace)
  return std::numbers::sqrt2 * boost::math::erf_inv(level, policy<promote_double<false>>());
}

// Returns values of the variables: 2 * kPairs draws, in pairs of opposite signs, the same in every
// run. Each of 2 * kPairs parts of the normal distribution, all of the same probability, has one
// value of each variable (Latin hypercube sampling: McKay, Beckman and Conover, Technometrics 21,
// 1979).
std::vector<std::vector<double>> draws_of(std::size_t variables) {
  constexpr std::size_t kPairs = 64;
  std::vector<double> strata;
  double squares = 0;
  for (std::size_t i = 0; i < kPairs; ++i) {
    strata.push_back(normal_width((static_cast<double>(i) + 0.5) / kPairs));
    squares += strata.back() * strata.back();
  }
  for (double& value : strata) {
    value /= std::sqrt(squares / kPairs);
  }
  if (variables == 0) {
    return {{}};
  }
  std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same draws in every run
  std::vector<std::vector<double>> draws(2 * kPairs, std::vector<double>(variables));
  for (std::size_t j = 0; j < variables; ++j) {
    for (std::size_t i = kPairs - 1; i > 0; --i) {
      std::swap(strata[i], strata[random() % (i + 1)]);
    }
    for (std::size_t i = 0; i < kPairs; ++i) {
      draws[2 * i][j] = strata[i] * (random() % 2 == 0 ? 1 : -1);
      draws[2 * i + 1][j] = -draws[2 * i][j];
    }
  }
  return draws;
}

}  // namespace

double log_s(double seconds) {
  constexpr double kShort = 1e-12;  // replaces a time of 0, which has no logarithm
  return std::log(std::max(seconds, kShort));
}

TimeRange time_range(const UncertainTime& time, double spread, double level) {
  TUTTI_INVARIANT(level > 0 && level < 1);
  double variance = spread * spread;
  for (const double change : time.changes) {
    variance += change * change;
  }
  const double factor = std::exp(normal_width(level) * std::sqrt(variance));
  return {time.seconds / factor, time.seconds * factor};
}

std::vector<double> chances_of_good_choice(const std::vector<UncertainTime>& times, double spread) {
  // The factor of one algorithm is integrated over by the rectangle rule. Given this factor, the
  // factors of the others are independent.
  constexpr int kSteps = 12;
  constexpr double kFar = 5;
  const double width = std::max(spread, kNoSpread);
  const double margin = std::log(kGoodChoice);
  const std::vector<std::vector<double>> draws = draws_of(times.front().changes.size());
  std::vector<std::vector<double>> drawn;  // the logarithms of the times, for each algorithm
  for (const UncertainTime& time : times) {
    std::vector<double>& logs = drawn.emplace_back(draws.size(), log_s(time.seconds));
    for (std::size_t k = 0; k < draws.size(); ++k) {
      for (std::size_t j = 0; j < time.changes.size(); ++j) {
        logs[k] += draws[k][j] * time.changes[j];
      }
    }
  }
  std::vector<double> chances;
  for (std::size_t a = 0; a < times.size(); ++a) {
    double sum = 0;
    double total = 0;
    for (int step = -kSteps; step <= kSteps; ++step) {
      const double z = kFar * step / kSteps;
      const double density = std::exp(-z * z / 2);
      for (std::size_t k = 0; k < draws.size(); ++k) {
        const double own = drawn[a][k] + width * z - margin;
        double none_faster = 1;
        for (std::size_t b = 0; b < times.size(); ++b) {
          none_faster *= b == a ? 1 : normal_cdf((drawn[b][k] - own) / width);
        }
        sum += density * none_faster;
        total += density;
      }
    }
    chances.push_back(std::min(sum / total, 1.0));
  }
  return chances;
}

}}  // namespace tutti::simulation
