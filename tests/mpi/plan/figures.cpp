// Fits parameters to simulated measurements of an invented machine, which has one latency and one
// bandwidth for messages of all sizes. The machine is quiet in some tests and busy in others.
#include "sim/mpi/plan/figures.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace tutti::mpi {
namespace {

constexpr double kStartS = 0.6e-6;
constexpr double kAlphaS = 2e-6;
constexpr double kBetaS = 0.1e-9;
constexpr double kGammaS = 0.05e-9;
constexpr double kCopyS = 0.03e-9;

std::vector<std::uint64_t> sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t bytes = 8; bytes <= 4U << 20U; bytes *= 2) {
    sizes.push_back(bytes);
  }
  return sizes;
}

// Maps the undisturbed time of a run to its time in one round.
using Disturb = std::function<double(double)>;

Series series_of(double start_s, std::size_t rounds, const Disturb& disturb,
                 const std::function<double(double)>& op_s) {
  Series series;
  const auto measured = [&](double seconds) {
    RoundTimes times;
    for (std::size_t round = 0; round < rounds; ++round) {
      times.push_back(disturb(seconds));
    }
    return times;
  };
  for (const std::uint64_t bytes : sizes()) {
    const double once_s = op_s(static_cast<double>(bytes));
    series.once_s.push_back(measured(start_s + once_s));
    series.repeated_s.push_back(bytes <= kNearBytes ? measured(start_s + kRepeats * once_s)
                                                    : RoundTimes{});
  }
  return series;
}

NearSeries runs_of(std::size_t rounds, const Disturb& disturb) {
  const auto message = [](double bytes) { return kAlphaS + bytes * kBetaS; };
  const auto reduce = [](double bytes) { return kAlphaS + 0.1e-6 + bytes * (kBetaS + kGammaS); };
  const auto copy = [](double bytes) { return 0.05e-6 + bytes * kCopyS; };
  NearSeries runs;
  runs.messages.one_way = series_of(kStartS, rounds, disturb, message);
  runs.messages.exchange = series_of(kStartS, rounds, disturb, message);
  runs.messages.exchange_and_copy = series_of(kStartS, rounds, disturb, message);
  runs.local.reduce = series_of(kStartS, rounds, disturb, reduce);
  runs.local.reduce_sent = series_of(kStartS, rounds, disturb, reduce);
  runs.local.copy = series_of(0, rounds, disturb, copy);
  return runs;
}

Coverage coverage_of(const NearSeries& near) {
  Coverage coverage;
  for (const Series* series :
       {&near.messages.one_way, &near.messages.exchange, &near.local.reduce, &near.local.copy}) {
    for (const RoundTimes& rounds : series->once_s) {
      cover(rounds, coverage);
    }
  }
  return coverage;
}

struct Truth {
  const char* name;
  double value;
};
constexpr Truth kTruth[] = {{"within_node.alpha_s", kAlphaS},
                            {"within_node.beta_s_per_byte", kBetaS},
                            {"gamma_s_per_byte", kGammaS},
                            {"copy_s_per_byte", kCopyS},
                            {"start_s", kStartS}};

// Returns a function that makes each round slightly slower than the undisturbed time, and one round
// in five 500 times slower.
Disturb mostly_quiet(std::mt19937& random) {
  return [&random](double seconds) {
    std::exponential_distribution<double> little(1 / 0.01);
    std::uniform_real_distribution<double> chance(0, 1);
    const double slower = 1 + little(random);
    return seconds * (chance(random) < 0.2 ? 500 * slower : slower);
  };
}

std::vector<std::string> doubts_of(const NearSeries& near) {
  return doubts(fit_machine(sizes(), near, nullptr, std::nullopt),
                figures_of(sizes(), near, nullptr, std::nullopt), coverage_of(near));
}

}  // namespace

TEST_CASE("On a machine that is sometimes disturbed the figures are right and marked as reliable") {
  std::size_t held = 0;
  std::size_t figures_seen = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const NearSeries near = runs_of(12, mostly_quiet(random));
    const Figures figures = figures_of(sizes(), near, nullptr, std::nullopt);
    for (const Truth& truth : kTruth) {
      CAPTURE(truth.name);
      const Figure& figure = figures.of(truth.name);
      REQUIRE(figure.value);
      CHECK(*figure.value == Approx(truth.value).epsilon(0.15));
      CHECK(figure.low <= *figure.value);
      CHECK(figure.high >= *figure.value);
      CHECK(figure.high - figure.low < 0.7 * truth.value);
      held += figure.low <= truth.value && truth.value <= figure.high ? 1 : 0;
      ++figures_seen;
    }
    CHECK(doubts_of(near).empty());
  }
  CHECK(held >= figures_seen * 9 / 10);
}

TEST_CASE("The same runs give the same figures") {
  std::mt19937 random(7);
  const NearSeries near = runs_of(5, mostly_quiet(random));
  const Figures a = figures_of(sizes(), near, nullptr, std::nullopt);
  const Figures b = figures_of(sizes(), near, nullptr, std::nullopt);
  for (std::size_t i = 0; i < a.all.size(); ++i) {
    CHECK(a.all[i].value == b.all[i].value);
    CHECK(a.all[i].low == b.all[i].low);
    CHECK(a.all[i].high == b.all[i].high);
  }
}

TEST_CASE("On a machine that is always disturbed no fit is called good") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    // Every round takes between 1 and 522 times as long as without disturbance, so no two rounds
    // agree.
    std::uniform_real_distribution<double> longer(0, std::log(522.0));
    const NearSeries near =
        runs_of(8, [&](double seconds) { return seconds * std::exp(longer(random)); });
    const std::vector<std::string> why = doubts_of(near);
    REQUIRE_FALSE(why.empty());
    CHECK(why.front().find("agree in 3 rounds") != std::string::npos);
  }
}

TEST_CASE("Reductions without measurable time give no gamma, and the other figures are kept") {
  std::mt19937 random(3);
  NearSeries near = runs_of(5, mostly_quiet(random));
  near.local.reduce = near.messages.exchange;
  for (auto& rounds : near.local.reduce.once_s) {
    for (double& seconds : rounds) {
      seconds *= 0.9;
    }
  }
  const Figures figures = figures_of(sizes(), near, nullptr, std::nullopt);
  CHECK_FALSE(figures.of("gamma_s_per_byte").value);
  CHECK(*figures.of("within_node.beta_s_per_byte").value == Approx(kBetaS).epsilon(0.1));
  const auto why = doubts_of(near);
  CHECK(std::any_of(why.begin(), why.end(), [](const std::string& each) {
    return each == "gamma_s_per_byte cannot be distinguished from noise";
  }));
}

TEST_CASE("Times that did not fit the budget are reported") {
  std::mt19937 random(4);
  NearSeries near = runs_of(12, mostly_quiet(random));
  near.local.copy.once_s.back().clear();
  const auto why = doubts_of(near);
  CAPTURE(why);
  REQUIRE(why.size() == 1);
  CHECK(why.front() == "1 of the 80 times were not measured within the time budget");
}

TEST_CASE("Too few rounds to compare are not reported as disagreement") {
  std::mt19937 random(5);
  const std::vector<std::string> why = doubts_of(runs_of(2, mostly_quiet(random)));
  CAPTURE(why);
  REQUIRE_FALSE(why.empty());
  CHECK(why.front().starts_with("80 of the 80 times were measured in fewer than 3 rounds"));
  CHECK(std::none_of(why.begin(), why.end(), [](const std::string& each) {
    return each.find("of the times agree") != std::string::npos;
  }));
}

TEST_CASE("Three similar values among the fastest settle a time, two do not") {
  CHECK(settled({1, 1.05, 1.09, 70}));
  CHECK_FALSE(settled({1, 1.05, 1.2, 70}));
  CHECK_FALSE(settled({1, 1}));
  CHECK_FALSE(settled({}));
  CHECK(apart_s({5, 1, 3, 70}) == 4);
  CHECK(apart_s({2, 2}) == 2);
}

}  // namespace tutti::mpi
