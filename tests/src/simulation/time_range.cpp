// Tests ranges of times and the probabilities of choices on times with known distributions.
#include "src/simulation/time_range.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "src/simulation/model_uncertainty.hpp"

namespace tutti::test_time_range {
namespace {

// A model with two parameters, whose estimates are correlated.
ModelUncertainty known() {
  ModelUncertainty uncertainty;
  uncertainty.parameters = {find_message_parameter("latency_s"),
                            find_message_parameter("rank_bytes_per_s")};
  uncertainty.covariance = {0.04, -0.012, -0.012, 0.01};
  uncertainty.job_spread = 0.15;
  uncertainty.point_spread = 0.08;
  return uncertainty;
}

MessageModel known_model() {
  MessageModel model;
  model.latency_s = 1e-6;
  model.rank_bytes_per_s = 1e10;
  return model;
}

// Time of a step of `bytes` bytes.
double seconds(const MessageModel& model, double bytes) {
  return model.latency_s + bytes / model.rank_bytes_per_s;
}

UncertainTime uncertain(double bytes) {
  const MovedModels moved = moved_models(known_model(), known());
  UncertainTime time{seconds(*moved.models.front(), bytes), {}};
  for (std::size_t i = 1; i < moved.models.size(); ++i) {
    time.changes.push_back(std::log(seconds(*moved.models[i], bytes) / time.seconds) / moved.by[i]);
  }
  return time;
}

// Returns the share of 4000 measured times, each from a job of its own, that lie in the range. They
// follow known(); the range is made with `spread`.
double share_in_range(double bytes, double spread, double level) {
  const ModelUncertainty truth = known();
  const std::vector<double> root = root_of(truth.covariance, 2);
  const TimeRange range = time_range(uncertain(bytes), spread, level);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr int kTimes = 4000;
  int inside = 0;
  for (int i = 0; i < kTimes; ++i) {
    const double first = normal(random);
    const double second = normal(random);
    MessageModel model = known_model();
    model.latency_s *= std::exp(root[0] * first);
    model.rank_bytes_per_s *= std::exp(root[2] * first + root[3] * second);
    const double factor =
        std::exp(truth.job_spread * normal(random) + truth.point_spread * normal(random));
    inside += range.holds(seconds(model, bytes) * factor) ? 1 : 0;
  }
  return static_cast<double>(inside) / kTimes;
}

}  // namespace

TEST_CASE("ranges hold the nominal share of times, and fewer with half the spread") {
  const double spread = known().spread();
  CHECK(spread == Approx(0.17));
  for (const double bytes : {100.0, 1e4, 1e6}) {
    INFO(bytes);
    for (const double level : {0.5, 0.8, 0.95}) {
      INFO(level);
      CHECK(share_in_range(bytes, spread, level) == Approx(level).margin(0.025));
    }
    CHECK(share_in_range(bytes, spread / 2, 0.8) < 0.73);
  }
}

TEST_CASE("moved models have the covariance of the parameters, within their limits") {
  const MessageModel fitted = known_model();
  const MovedModels moved = moved_models(fitted, known());
  REQUIRE(moved.models.size() == 3);
  CHECK(*moved.models.front() == fitted);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 1; i < moved.models.size(); ++i) {
    const MessageModel& model = *moved.models[i];
    const double latency = std::log(model.latency_s / fitted.latency_s) / moved.by[i];
    const double rate = std::log(model.rank_bytes_per_s / fitted.rank_bytes_per_s) / moved.by[i];
    squares += latency * latency;
    products += latency * rate;
  }
  CHECK(squares == Approx(0.04));
  CHECK(products == Approx(-0.012));
  // Both are moved to longer times.
  CHECK(moved.models[1]->latency_s == Approx(fitted.latency_s * std::exp(0.2 * kMove)));
  CHECK(moved.models[2]->rank_bytes_per_s < fitted.rank_bytes_per_s);
  // A parameter near its upper limit moves down.
  MessageModel high = fitted;
  high.latency_s = find_message_parameter("latency_s")->most;
  const MovedModels down = moved_models(high, known());
  CHECK(down.by[1] < 0);
  CHECK(down.models[1]->latency_s == Approx(high.latency_s * std::exp(-0.2 * kMove)));
  CHECK(down.models[1]->rank_bytes_per_s > fitted.rank_bytes_per_s);
  // A parameter stops at its limits.
  ModelUncertainty wide = known();
  wide.covariance = {10000, 0, 0, 10000};
  for (const auto& model : moved_models(fitted, wide).models) {
    CHECK(model->latency_s <= find_message_parameter("latency_s")->most);
    CHECK(model->rank_bytes_per_s >= find_message_parameter("rank_bytes_per_s")->least);
  }
}

TEST_CASE("a matrix without a root is recognised") {
  CHECK(root_of({4, 2, 2, 5}, 2) == std::vector<double>{2, 0, 1, 2});
  CHECK(root_of({4, 4, 4, 4}, 2) == std::vector<double>{2, 0, 2, 0});
  CHECK(root_of({0, 0, 0, 1}, 2) == std::vector<double>{0, 0, 0, 1});
  CHECK(root_of({1, 2, 2, 1}, 2).empty());
  CHECK(root_of({1, 0.5, 0.4, 1}, 2).empty());
  CHECK(root_of({-1}, 1).empty());
  CHECK(root_of({1, 0, 0}, 2).empty());
}

TEST_CASE("the range of a normal distribution is that of its quantiles") {
  const TimeRange range = time_range({2e-6, {0.06, -0.08}}, 0, 0.8);
  CHECK(range.low_s == Approx(2e-6 * std::exp(-0.1281552)).epsilon(1e-6));
  CHECK(range.high_s == Approx(2e-6 * std::exp(0.1281552)).epsilon(1e-6));
}

TEST_CASE("chances of choices: alone, level, far apart, and by chance") {
  CHECK(chances_of_good_choice({{1.0, {}}}, 0.1).front() == Approx(1));
  // The difference of two logarithms has the standard deviation sqrt(2) * 0.1, and ln(1.1) of it is
  // 0.674.
  const auto level = chances_of_good_choice({{1.0, {}}, {1.0, {}}}, 0.1);
  CHECK(level[0] == Approx(0.7499).margin(1e-3));
  CHECK(level[1] == Approx(level[0]));
  const auto apart = chances_of_good_choice({{1.0, {}}, {3.0, {}}}, 0.1);
  CHECK(apart[0] > 0.999);
  CHECK(apart[1] < 1e-6);
  // The algorithms share the variables: only the difference of their changes matters. It has the
  // standard deviation 0.1, and ln(1.1) of it is 0.953.
  const auto shared = chances_of_good_choice({{1.0, {0.5, 0.06}}, {1.0, {0.5, -0.04}}}, 0);
  CHECK(shared[0] == Approx(0.8297).margin(0.01));
  CHECK(shared[1] == Approx(0.8297).margin(0.01));
  // Three candidates, by simulation.
  const std::vector<UncertainTime> at{{1, {0.1}}, {1.05, {-0.05}}, {1.2, {0}}};
  const auto three = chances_of_good_choice(at, 0.15);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> good(3);
  constexpr int kTimes = 20000;
  for (int i = 0; i < kTimes; ++i) {
    std::vector<double> times;
    const double variable = normal(random);
    for (const UncertainTime& each : at) {
      times.push_back(each.seconds * std::exp(each.changes[0] * variable + 0.15 * normal(random)));
    }
    const double fastest = *std::ranges::min_element(times);
    for (std::size_t a = 0; a < 3; ++a) {
      good[a] += times[a] <= 1.1 * fastest ? 1.0 / kTimes : 0;
    }
  }
  for (std::size_t a = 0; a < 3; ++a) {
    CHECK(three[a] == Approx(good[a]).margin(0.012));
  }
}

}  // namespace tutti::test_time_range
