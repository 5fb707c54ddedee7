// Compares the judge with times computed by hand, the judge's arithmetics with each other, and the
// judge with the engines that do not need SimGrid.
#include <catch2/catch.hpp>

#include <cmath>

#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/sim/judge/judge.hpp"
#include "tests/sim/random_schedule.hpp"

namespace tutti::test_judge_itself {

namespace {

// Returns a platform without links, on which each rank has a host of its own, with one core that
// computes one flop per second.
JudgePlatform hosts_apart(std::uint32_t ranks) {
  JudgePlatform platform;
  platform.hosts.assign(ranks, {1, 1});
  platform.flops_per_byte = 1;
  for (Rank rank = 0; rank < ranks; ++rank) {
    platform.host_of_rank.push_back(rank);
  }
  return platform;
}

// Returns for the judge the platform that CrossbarNetwork models with the same figures.
JudgePlatform crossbar(const Crossbar& figures, const FlowSetup& setup) {
  JudgePlatform platform;
  platform.links.assign(2 * figures.hosts, {figures.bandwidth_bytes_per_s, false});
  platform.hosts.assign(figures.hosts, {figures.speed_flops_per_s, 1});
  platform.host_of_rank = setup.host_of_rank;
  platform.flops_per_byte = setup.flops_per_byte;
  platform.copy_s_per_byte = setup.copy_s_per_byte;
  for (std::uint32_t from = 0; from < figures.hosts; ++from) {
    for (std::uint32_t to = 0; to < figures.hosts; ++to) {
      platform.routes[{from, to}] = {figures.latency_s, {{2 * from, 1}, {2 * to + 1, 1}}};
    }
  }
  return platform;
}

double most_apart_s(const Timeline& a, const Timeline& b) {
  double most = 0;
  for (std::size_t id = 0; id < a.start_s.size(); ++id) {
    most = std::max(
        {most, std::abs(a.start_s[id] - b.start_s[id]), std::abs(a.end_s[id] - b.end_s[id])});
  }
  return most;
}

const RunSetup kUnlimited{kUnlimitedPorts};

}  // namespace

TEST_CASE("judge: messages share a link in proportion to 1/latency") {
  JudgePlatform platform = hosts_apart(3);
  platform.links = {{10, false}};
  platform.routes = {{{0, 2}, {1, {{0, 1}}}}, {{1, 2}, {2, {{0, 1}}}}};
  HandMadeSchedule made(3);
  made.comm(0, 2, 30);
  made.comm(1, 2, 30);
  const Schedule schedule = made.finish();
  // From 1 to 2 s, the message with the shorter latency is alone and moves 10 bytes; then it has
  // two thirds of the link.
  const Timeline shared = judge(schedule, kUnlimited, platform).timeline;
  CHECK(shared.end_s[0] == Approx(5).epsilon(1e-15));
  CHECK(shared.end_s[1] == Approx(7).epsilon(1e-15));
  // With one port, the messages go one after the other, in the order of their ids.
  const Timeline in_turn = judge(schedule, {1}, platform).timeline;
  CHECK(in_turn.end_s[0] == Approx(4));
  CHECK(in_turn.start_s[1] == Approx(4));
  CHECK(in_turn.end_s[1] == Approx(9));
}

TEST_CASE(
    "judge: a fat pipe limits each message by itself, and a link crossed twice counts twice") {
  JudgePlatform platform = hosts_apart(2);
  platform.links = {{1.25e8, false}, {1e9, false}, {1.25e8, true}};
  platform.routes = {{{0, 1}, {1e-5, {{0, 1}, {2, 1}}}}, {{1, 0}, {0, {{1, 1}, {2, 1}}}}};
  Problem problem;
  problem.ranks = 2;
  problem.bytes = 800'000;
  ScheduleBuilder builder(problem, 1);
  builder.comm({0, 0}, 0, 1, {.blocks = {0, 1}}, {});
  builder.comm({0, 1}, 1, 0, {.blocks = {0, 1}}, {});
  const Schedule schedule = builder.finish();
  const Timeline both = judge(schedule, kUnlimited, platform).timeline;
  CHECK(both.end_s[0] == Approx(6.41e-3).epsilon(1e-14));
  CHECK(both.end_s[1] == Approx(6.4e-3).epsilon(1e-14));
  platform.routes[{0, 1}].links[0].second = 2;
  CHECK(judge(schedule, kUnlimited, platform).timeline.end_s[0] == Approx(12.81e-3).epsilon(1e-14));
}

TEST_CASE("judge: ranks share the cores of a host, one core each at most") {
  JudgePlatform platform = hosts_apart(3);
  platform.hosts = {{6, 2}};
  platform.host_of_rank = {0, 0, 0};
  HandMadeSchedule made(3);
  made.reduce(0, 12);
  made.reduce(1, 12);
  made.reduce(2, 24);
  made.reduce(2, 6);  // waits, because a rank does one reduction at a time
  const Timeline timeline = judge(made.finish(), {1}, platform).timeline;
  CHECK(timeline.end_s[0] == Approx(3));  // each rank does 4 flops per second
  // Once the other ranks are done, rank 2 does 6 flops per second, the speed of one core.
  CHECK(timeline.end_s[2] == Approx(5));
  CHECK(timeline.start_s[3] == Approx(5));
  CHECK(timeline.end_s[3] == Approx(6));
}

TEST_CASE("judge: events within an instant are simultaneous, and its border is detected") {
  // Two reductions of about 1 s end `apart_s` apart. The messages after them need the same port,
  // and the message with the smaller id depends on the later reduction.
  const auto second_start_s = [](double apart_s) {
    JudgePlatform platform = hosts_apart(3);
    platform.hosts[1].flops_per_s = 1 + apart_s;  // rank 1's reduction ends earlier by apart_s
    platform.links = {{10, false}};
    platform.routes = {{{0, 2}, {1, {{0, 1}}}}, {{1, 2}, {1, {{0, 1}}}}};
    HandMadeSchedule made(3);
    const OpId late = made.reduce(0, 1);
    const OpId early = made.reduce(1, 1);
    made.comm(0, 2, 10, {late});
    made.comm(1, 2, 10, {early});
    return judge(made.finish(), {1}, platform);
  };
  const double width_s = 1e-11;  // width of an instant at 1 s
  const JudgeTimes within = second_start_s(0.5 * width_s);
  CHECK(within.timeline.start_s[2] == within.timeline.start_s[3] - 2);
  CHECK(within.nearest_border == Approx(0.5).epsilon(1e-3));
  const JudgeTimes beyond = second_start_s(1.5 * width_s);
  CHECK(beyond.timeline.start_s[2] > beyond.timeline.start_s[3]);
  CHECK(beyond.nearest_border == Approx(0.5).epsilon(1e-3));
  CHECK(second_start_s(1.0002 * width_s).nearest_border < kNoTie);
}

TEST_CASE("judge: more digits change nothing if nothing depends on them") {
  const Crossbar figures{
      .hosts = 4, .latency_s = 1.7e-6, .bandwidth_bytes_per_s = 1.07e7, .speed_flops_per_s = 4.1e6};
  FlowSetup setup{.host_of_rank = {0, 1, 2, 3}};
  setup.copy_s_per_byte = 1e-7;
  const JudgePlatform platform = crossbar(figures, setup);
  for (std::uint64_t seed = test_seed(); seed < test_seed() + 10; ++seed) {
    INFO("TUTTI_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const Schedule schedule = random_schedule(random, 4, 16, HandMadeSchedule::kMaxBytes);
    const Timeline exact = judge(schedule, kUnlimited, platform, Arithmetic::exact).timeline;
    const double rounding_s = 1e-15 * exact.total_s;
    for (const Arithmetic arithmetic : {Arithmetic::extended, Arithmetic::quad}) {
      CHECK(most_apart_s(judge(schedule, kUnlimited, platform, arithmetic).timeline, exact) <=
            rounding_s);
    }
  }
}

TEST_CASE("judge: the engines without SimGrid match the judge, on a crossbar") {
  Crossbar figures{
      .hosts = 7, .latency_s = 1e-6, .bandwidth_bytes_per_s = 1e7, .speed_flops_per_s = 1e7};
  FlowSetup setup{.host_of_rank = {0, 1, 2, 3, 4, 5, 6}};
  for (std::uint64_t seed = test_seed(); seed < test_seed() + 60; ++seed) {
    std::mt19937_64 random(seed);
    INFO("TUTTI_TEST_SEED=" << seed);
    figures.latency_s = seed % 3 == 0 ? 0 : 1e-6;
    setup.copy_s_per_byte = seed % 2 == 0 ? 0 : 1e-7;
    const Schedule schedule = random_schedule(random, 7, 120, HandMadeSchedule::kMaxBytes);
    const JudgePlatform platform = crossbar(figures, setup);
    for (const std::int64_t eager_bytes : {-1, 0, 5, 40}) {
      for (const std::uint32_t ports : {1U, 2U, 3U, kUnlimitedPorts}) {
        RunSetup run{ports};
        run.eager_bytes = eager_bytes;
        CAPTURE(ports, eager_bytes);
        const JudgeTimes verdict = judge(schedule, run, platform);
        REQUIRE(verdict.nearest_border > kNoTie);
        const double allowed_s = 1e-9 * verdict.timeline.total_s;
        CrossbarNetwork network(figures);
        CHECK(most_apart_s(FlowEngine(network, setup).run(schedule, run), verdict.timeline) <=
              allowed_s);
        if (ports == 1) {  // with one port, no two messages share a link
          const Prices prices{figures.latency_s, 1 / figures.bandwidth_bytes_per_s,
                              setup.flops_per_byte / figures.speed_flops_per_s,
                              setup.copy_s_per_byte};
          CHECK(most_apart_s(CriticalPathEngine(prices).run(schedule, run), verdict.timeline) <=
                allowed_s);
        }
      }
    }
  }
}

TEST_CASE("judge: planted changes change its times") {
  const Crossbar figures{
      .hosts = 5, .latency_s = 1e-6, .bandwidth_bytes_per_s = 1e7, .speed_flops_per_s = 1e7};
  const FlowSetup setup{.host_of_rank = {0, 1, 2, 3, 4}};
  std::mt19937_64 random(test_seed());
  const Schedule schedule = random_schedule(random, 5, 80, HandMadeSchedule::kMaxBytes);
  JudgePlatform platform = crossbar(figures, setup);
  const Timeline right = judge(schedule, kUnlimited, platform).timeline;
  platform.links[0].bytes_per_s *= 1 + 1e-6;
  CHECK(most_apart_s(judge(schedule, kUnlimited, platform).timeline, right) > 1e-9 * right.total_s);
}

}  // namespace tutti::test_judge_itself
