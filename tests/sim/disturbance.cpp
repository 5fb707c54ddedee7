// Tests ranks that arrive late, and times that vary randomly. The expected times with late ranks
// are computed by hand.
#include "sim/disturbance.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"

namespace tutti::test_disturbance {

namespace {

constexpr double kAlpha = 1e-6;
constexpr double kBeta = 1e-9;
constexpr double kGamma = 1e-9;

Schedule schedule_of(const char* algorithm, std::uint32_t ranks, std::uint64_t bytes) {
  Problem problem;
  problem.collective = algorithm_named(algorithm).collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  return make_schedule(algorithm_named(algorithm), problem);
}

Timeline flow(const Schedule& schedule, const RunSetup& setup) {
  CrossbarNetwork network({schedule.ranks(), kAlpha, 1 / kBeta, 1e9});
  FlowSetup flow_setup;
  flow_setup.flops_per_byte = 1;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    flow_setup.host_of_rank.push_back(rank);
  }
  return FlowEngine(network, flow_setup).run(schedule, setup);
}

Timeline longest_path(const Schedule& schedule, const RunSetup& setup) {
  return CriticalPathEngine({kAlpha, kBeta, kGamma, 0}).run(schedule, setup);
}

std::vector<Timeline> both(const Schedule& schedule, const RunSetup& setup) {
  return {flow(schedule, setup), longest_path(schedule, setup)};
}

RunSetup late(std::vector<double> late_s) {
  RunSetup setup;
  setup.disturbance.late_s = std::make_shared<const std::vector<double>>(std::move(late_s));
  return setup;
}

Approx near(double value) { return Approx(value).epsilon(1e-12); }

}  // namespace

TEST_CASE("No operation of a rank starts before the rank arrives") {
  // The root sends 1000 bytes to ranks 1, 2 and 3 in turn. Each message takes 2 us.
  const Schedule schedule = schedule_of("bcast/linear", 4, 1000);
  for (const Timeline& timeline : both(schedule, late({0, 3e-6, 0, 0}))) {
    // Rank 1 is late, so the root sends to rank 2, then (at 2 us) to rank 3, then to rank 1.
    CHECK(timeline.start_s[0] == near(4e-6));
    CHECK(timeline.start_s[1] == 0);
    CHECK(timeline.start_s[2] == near(2e-6));
    CHECK(timeline.total_s == near(6e-6));
  }
  for (const Timeline& timeline : both(schedule, late({5e-6, 0, 0, 7.5e-6}))) {
    CHECK(timeline.start_s[0] == near(5e-6));
    CHECK(timeline.start_s[1] == near(7e-6));
    CHECK(timeline.start_s[2] == near(9e-6));
    CHECK(timeline.total_s == near(11e-6));
  }
}

TEST_CASE("Only the first operation of a late rank waits for its arrival") {
  // In this pipeline, rank 1 receives the vector from rank 0 and then forwards it to rank 2.
  const Schedule schedule = schedule_of("bcast/pipeline", 3, 1000);
  for (const Timeline& timeline : both(schedule, late({0, 1e-6, 0}))) {
    CHECK(timeline.total_s == near(5e-6));
  }
  // Rank 2 arrives after the time at which the message to it could have started.
  for (const Timeline& timeline : both(schedule, late({0, 0, 10e-6}))) {
    CHECK(timeline.end_s[0] == near(2e-6));
    CHECK(timeline.total_s == near(12e-6));
  }
}

TEST_CASE(
    "An eager message to a late rank travels at once, and is received when the rank arrives") {
  RunSetup setup = late({0, 9e-6, 0, 0});
  setup.eager_bytes = 1 << 20;
  const Schedule schedule = schedule_of("bcast/linear", 4, 1000);
  for (const Timeline& timeline : both(schedule, setup)) {
    CHECK(timeline.start_s[0] == 0);
    CHECK(timeline.end_s[0] == near(9e-6));
    CHECK(timeline.end_s[2] == near(6e-6));
    CHECK(timeline.total_s == near(9e-6));
  }
}

TEST_CASE("A late rank without operations delays no other rank") {
  const Schedule schedule = schedule_of("bcast/linear", 2, 1000);
  const Schedule alone = schedule_of("bcast/linear", 1, 1000);
  for (const Timeline& timeline : both(alone, late({1}))) {
    CHECK(timeline.total_s == 0);
  }
  for (const Timeline& timeline : both(schedule, late({0, 0}))) {
    CHECK(timeline.total_s == near(2e-6));
  }
}

TEST_CASE("Late ranks are drawn uniformly from a range, by seed") {
  Disturbance disturbance;
  disturbance.late_from_s = 2;
  disturbance.late_to_s = 6;
  double sum = 0;
  for (Rank rank = 0; rank < 10000; ++rank) {
    const double late_s = disturbance.late_of(rank);
    CHECK((late_s >= 2 && late_s < 6));
    sum += late_s;
  }
  CHECK(sum / 10000 == Approx(4).epsilon(0.02));
  Disturbance other = disturbance;
  CHECK(other.late_of(7) == disturbance.late_of(7));
  other.seed = 2;
  CHECK(other.late_of(7) != disturbance.late_of(7));
}

TEST_CASE("Times vary equally in both engines, and within the given share") {
  RunSetup setup;
  setup.disturbance.jitter = 0.25;
  const Schedule schedule = schedule_of("allreduce/ring", 8, 64000);
  const Timeline a = flow(schedule, setup);
  const Timeline b = longest_path(schedule, setup);
  const Timeline steady = flow(schedule, {});
  double least = 2;
  double most = 0;
  for (OpId id = 0; id < schedule.size(); ++id) {
    CHECK(a.start_s[id] == Approx(b.start_s[id]).epsilon(1e-12));
    CHECK(a.end_s[id] == Approx(b.end_s[id]).epsilon(1e-12));
    const double factor = (a.end_s[id] - a.start_s[id]) / (steady.end_s[id] - steady.start_s[id]);
    CHECK(factor == Approx(setup.disturbance.factor(id)).epsilon(1e-9));
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  CHECK((least > 0.75 && least < 0.8));
  CHECK((most < 1.25 && most > 1.2));
  CHECK(flow(schedule, setup).end_s == a.end_s);
  setup.disturbance.seed = 2;
  CHECK(flow(schedule, setup).end_s != a.end_s);
}

TEST_CASE("Repeats use consecutive seeds, and the median run is kept") {
  RunSetup setup;
  setup.disturbance.jitter = 0.25;
  setup.disturbance.seed = 5;
  const Schedule schedule = schedule_of("allreduce/ring", 8, 64000);
  for (const std::uint32_t runs : {1U, 2U, 5U}) {
    std::vector<double> totals;
    RunSetup each = setup;
    for (std::uint32_t run = 0; run < runs; ++run) {
      each.disturbance.seed = 5 + run;
      totals.push_back(flow(schedule, each).total_s);
    }
    std::sort(totals.begin(), totals.end());
    RunSetup repeated = setup;
    repeated.disturbance.repeat = runs;
    const Repeats repeats =
        repeat_runs(repeated, [&](const RunSetup& own) { return flow(schedule, own).total_s; });
    if (runs == 1) {
      CHECK(repeats.runs == 0);
      CHECK(repeated.disturbance.seed == 5);
      continue;
    }
    CHECK(repeats.runs == runs);
    CHECK(repeats.least_s == totals.front());
    CHECK(repeats.most_s == totals.back());
    CHECK(repeats.median_s == totals[(runs - 1) / 2]);
    CHECK(flow(schedule, repeated).total_s == repeats.median_s);
    CHECK(repeats.seed == repeated.disturbance.seed);
  }
}

}  // namespace tutti::test_disturbance
