// Tests that runs which leave out rounds that repeat take exactly as long as runs of all rounds,
// and that rounds which repeat only for a while are not taken for steady.
#include "sim/steady_rounds.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/sim/random_schedule.hpp"

namespace tutti::test_steady_rounds {

namespace {

// Hosts with links of their own, of a few random speeds, and links in the middle that routes share.
class RandomNetwork final : public Network {
 public:
  RandomNetwork(std::mt19937_64& random, std::uint32_t hosts)
      : hosts_(hosts), middle_(random() % 4) {
    const std::array speeds{1e9, 1e9, 1.7e9, 0.31e9};
    const std::uint32_t kinds = 1 + random() % 4;
    for (std::uint32_t i = 0; i < 2 * hosts + middle_; ++i) {
      links_.push_back(
          {speeds[random() % kinds] * (i < 2 * hosts ? 1 : 9), kinds > 1 && random() % 9 == 0});
    }
    figures_.resize(std::size_t{hosts} * hosts);
    for (RouteFigures& figures : figures_) {
      figures.latency_s = 0.37e-6 * static_cast<double>(1 + random() % kinds);
    }
  }
  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return {1e9, 1}; }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return std::to_string(link);
  }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override {
    route_[0] = Hop(2 * from, 1, 0);
    route_[1] = Hop(2 * to + 1, 1, 0);
    if (middle_ > 0) {
      route_[2] = Hop(2 * hosts_ + (from + to) % middle_, 1, 0);
    }
    RouteFigures& figures = figures_[std::size_t{from} * hosts_ + to];
    const std::size_t count = middle_ > 0 ? 3 : 2;
    figures.alone_bytes_per_s = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count; ++i) {
      const NetworkLink& link = links_[route_[i].link()];
      figures.alone_bytes_per_s = std::min(figures.alone_bytes_per_s, link.capacity_bytes_per_s);
    }
    return {&figures, {route_.data(), count}};
  }

  std::uint32_t hosts_;
  std::uint32_t middle_;
  std::array<Hop, 3> route_{};
  std::vector<RouteFigures> figures_;
};

struct Random {
  std::mt19937_64 bits;
  template <typename Value>
  Value one_of(std::initializer_list<Value> values) {
    return values.begin()[bits() % values.size()];
  }
};

// Returns algorithm and problem of a random run with many rounds.
std::pair<const Algorithm*, Problem> random_problem(Random& random) {
  std::vector<const Algorithm*> all = host_algorithms();
  std::erase_if(all, [](const Algorithm* each) { return !each->has_alike_rounds; });
  while (true) {
    const Algorithm& algorithm = *all[random.bits() % all.size()];
    const bool segments = takes(algorithm, Option::segment);
    const std::uint32_t ranks =
        segments ? random.one_of({2U, 3U, 5U, 8U, 12U}) : random.one_of({70U, 77U, 101U, 144U});
    const std::uint64_t each = random.one_of({1U, 16U, 129U, 4096U});
    Problem problem =
        problem_of(algorithm.collective, ranks, each * ranks + random.one_of({0U, 0U, 5U}));
    if (segments) {
      problem.segment_bytes =
          std::max<std::uint64_t>(problem.bytes / random.one_of({61U, 97U, 200U}), 1);
      problem.segment_bytes -= problem.segment_bytes % problem.element_bytes;
    }
    if (!refuses(algorithm, problem)) {
      return {&algorithm, problem};
    }
  }
}

// Runs a cut schedule. Returns its total, with the rounds that were left out, if they repeat.
template <typename Run>
std::optional<double> cut_total_s(const Algorithm& algorithm, const Problem& problem,
                                  std::uint32_t rounds, Run&& run) {
  const Schedule cut = make_schedule(algorithm, problem, Detail::times_only, rounds);
  if (cut.repeated().empty()) {
    return std::nullopt;
  }
  Timeline timeline = run(cut);
  return add_left_out_rounds(cut, timeline) ? std::optional(timeline.total_s) : std::nullopt;
}

// Compares random runs until `runs` of each engine have left out rounds. Many runs are not steady
// after so few rounds, and do not count.
void compare_runs(int runs) {
  Random random{std::mt19937_64(test_seed())};
  INFO("TUTTI_TEST_SEED=" << test_seed());
  std::array<int, 2> cut_runs{};
  for (int i = 0; *std::ranges::min_element(cut_runs) < runs; ++i) {
    REQUIRE(i < 20 * runs);
    const auto [algorithm, problem] = random_problem(random);
    RandomNetwork network(random.bits, problem.ranks);
    FlowSetup flow_setup;
    flow_setup.copy_s_per_byte = 0.7e-10;
    flow_setup.flops_per_byte = random.one_of({0.0, 0.125, 1.0});
    for (Rank rank = 0; rank < problem.ranks; ++rank) {
      flow_setup.host_of_rank.push_back(rank);
    }
    RunSetup setup;
    setup.ports = random.one_of({1U, 1U, 2U, kUnlimitedPorts});
    setup.eager_bytes = random.one_of<std::int64_t>({-1, -1, 100, 1'000'000});
    setup.eager_takes_ports = random.one_of({true, false});
    const std::uint32_t rounds = random.one_of({6U, 16U, 24U});
    CAPTURE(i, algorithm->full_name(), problem.ranks, problem.bytes, problem.segment_bytes,
            setup.ports, setup.eager_bytes, rounds);
    Prices prices;
    prices.alpha_s = 1.1e-6;
    prices.beta_s_per_byte = 1e-9;
    prices.gamma_s_per_byte = 0.3e-9;
    std::size_t engine = 0;
    const auto check = [&](auto&& run) {
      if (const auto total_s = cut_total_s(*algorithm, problem, rounds, run)) {
        const double all_s = run(make_schedule(*algorithm, problem, Detail::times_only)).total_s;
        CHECK(std::fabs(*total_s - all_s) <= 1e-12 * all_s);
        ++cut_runs[engine];
      }
      ++engine;
    };
    check([&](const Schedule& schedule) {
      return FlowEngine(network, flow_setup).run(schedule, setup);
    });
    check(
        [&](const Schedule& schedule) { return CriticalPathEngine(prices).run(schedule, setup); });
  }
}

}  // namespace

TEST_CASE("runs that leave out rounds take as long as runs of all rounds") { compare_runs(40); }

TEST_CASE("a thousand runs that leave out rounds take as long as runs of all rounds", "[slow]") {
  compare_runs(1000);
}

namespace {

// A long message between two ranks is under way while a ring of the other ranks repeats.
constexpr std::uint32_t kRing = 4;
constexpr Algorithm kBesideLongMessage{
    .collective = Collective::allreduce,
    .name = "beside_long_message",
    .idea = {},
    .source = {},
    .cost = {},
    .layout = [](const Problem& problem) { return layout_in_blocks(problem, 1000); },
    .emit =
        [](const Problem& problem, ScheduleBuilder& builder) {
          builder.comm({}, kRing, kRing + 1, {{0, 60}, kInput, kScratch}, {});
          std::array<OpId, kRing> last{};
          last.fill(kNoOp);
          for (const std::uint32_t round : builder.alike(problem.ranks * 100, true)) {
            std::array<OpId, kRing> now{};
            for (Rank rank = 0; rank < kRing; ++rank) {
              const std::array after{last[rank], last[(rank + 1) % kRing]};
              now[rank] = builder.comm({round}, rank, (rank + 1) % kRing,
                                       {{0, 1}, kInput, kScratch}, after);
            }
            last = now;
          }
        },
    .has_alike_rounds = true,
};

// All messages share one link.
class OneLink final : public Network {
 public:
  OneLink() {
    links_.push_back({1e9, false});
    figures_.alone_bytes_per_s = 1e9;
    figures_.latency_s = 1e-6;
  }
  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return {1e9, 1}; }
  [[nodiscard]] std::uint32_t hosts() const override { return kRing + 2; }
  [[nodiscard]] std::string link_name(std::uint32_t) const override { return "link"; }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t, std::uint32_t) override {
    return {&figures_, {&hop_, 1}};
  }

  RouteFigures figures_;
  Hop hop_{0, 1, 0};
};

}  // namespace

TEST_CASE("rounds that repeat only beside a message that ends are not steady") {
  const Problem problem = problem_of(Collective::allreduce, kRing + 2, 1'000'000);
  OneLink network;
  FlowSetup flow_setup;
  flow_setup.host_of_rank = {0, 1, 2, 3, 4, 5};
  const auto run = [&](const Schedule& schedule) {
    return FlowEngine(network, flow_setup).run(schedule, {});
  };
  const double all_s = run(make_schedule(kBesideLongMessage, problem, Detail::times_only)).total_s;
  // The long message takes about as long as 60 rounds, so that the first rounds repeat exactly. A
  // time that is computed from them is wrong by a lot.
  const Schedule cut = make_schedule(kBesideLongMessage, problem, Detail::times_only, 20);
  Timeline timeline = run(cut);
  const RepeatedRounds& stretch = cut.repeated().front();
  const auto start_s = [&](std::uint32_t round) {
    return timeline.start_s[stretch.begin_of(round)];
  };
  const double early_period_s = start_s(12) - start_s(11);
  CHECK(early_period_s == Approx(start_s(11) - start_s(10)).epsilon(1e-12));
  CHECK(std::fabs(timeline.total_s + stretch.left_out * early_period_s - all_s) > 0.01 * all_s);
  CHECK_FALSE(add_left_out_rounds(cut, timeline));
  const auto known_s = cut_total_s(kBesideLongMessage, problem, 120, run);
  REQUIRE(known_s);
  CHECK(std::fabs(*known_s - all_s) <= 1e-12 * all_s);
}

}  // namespace tutti::test_steady_rounds
