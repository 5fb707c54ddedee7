// Tests the search for runs whose total time depends on how ties are broken. The search repeats a
// run with starts shifted by tiny amounts.
#include "sim/ties.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "schedules/builder.hpp"
#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_ties {
namespace {

// alpha is 1 s; beta, gamma and the price of a copy are 1 s per byte.
constexpr Prices kPrices{1, 1, 1, 1};

// Ranks 0 and 1 reduce for 24 s. Then both send 8 bytes to rank 2, which has one port, and rank 1
// reduces for another 8 s. In the order of ids, rank 0 sends first, and the total is 24 + 9 + 9 + 8
// = 50 s. In the other order, it is 42 s.
Schedule tied() {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 3), 3);
  const Move all{.blocks = {0, 3}, .from = kInput, .into = kWork};
  const Move one{.blocks = {0, 1}};
  const OpId first = builder.reduce({0, 0}, 0, all, Operand::left, {});
  const OpId second = builder.reduce({0, 0}, 1, all, Operand::left, {});
  builder.comm({1, 0}, 0, 2, one, std::vector<OpId>{first});
  const OpId message = builder.comm({1, 0}, 1, 2, one, std::vector<OpId>{second});
  builder.reduce({2, 0}, 1, {.blocks = {1, 1}, .from = kInput, .into = kWork}, Operand::left,
                 std::vector<OpId>{message});
  return builder.finish();
}

Schedule schedule_of(std::string_view name, std::uint32_t ranks, std::uint64_t bytes) {
  const Algorithm& algorithm = algorithm_named(name);
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  return make_schedule(algorithm, problem);
}

// A crossbar on which the flow engine runs. With one port, no two messages share a link, so this
// engine and the critical-path engine compute the same times.
class OnCrossbar {
 public:
  explicit OnCrossbar(const Schedule& schedule, std::uint32_t ranks_per_host = 1) {
    crossbar_.hosts = (schedule.ranks() + ranks_per_host - 1) / ranks_per_host;
    crossbar_.latency_s = 1;
    crossbar_.bandwidth_bytes_per_s = 1;
    crossbar_.speed_flops_per_s = 1;
    flow_setup_.flops_per_byte = 1;
    flow_setup_.copy_s_per_byte = 1;
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      flow_setup_.host_of_rank.push_back(rank / ranks_per_host);
    }
  }
  TieRange ties(const Schedule& schedule, const RunSetup& setup) {
    CrossbarNetwork network(crossbar_);
    FlowEngine engine(network, flow_setup_);
    const double total_s = engine.run(schedule, setup).total_s;
    return engine.ties(schedule, setup, total_s);
  }

 private:
  Crossbar crossbar_;
  FlowSetup flow_setup_;
};

TieRange ties_of_path(const Schedule& schedule, const RunSetup& setup) {
  const CriticalPathEngine engine(kPrices);
  const PathTotal own = engine.run_total(schedule, setup);
  return look_for_ties(setup, schedule.size(), own.total_s, own.waited, [&](const RunSetup& moved) {
    return engine.run_total(schedule, moved).total_s;
  });
}

RunSetup looking(std::uint32_t runs, std::uint64_t seed = 1) {
  RunSetup setup;
  setup.ties = {.runs = runs, .seed = seed, .most_ops = 0};
  return setup;
}

}  // namespace

TEST_CASE("A total that depends on a tie has the range of both outcomes") {
  const Schedule schedule = tied();
  for (const TieRange& range :
       {ties_of_path(schedule, looking(10)), OnCrossbar(schedule).ties(schedule, looking(10))}) {
    CHECK(range.runs == 10);
    CHECK(range.most_s == Approx(50).epsilon(1e-11));
    CHECK(range.least_s == Approx(42).epsilon(1e-11));
  }
}

TEST_CASE("The median includes runs with shifted starts, if their range matters") {
  const Schedule schedule = tied();
  const TieRange odd = ties_of_path(schedule, looking(4));
  CHECK((odd.median_s == Approx(42) || odd.median_s == Approx(50)));
  // With an even number of totals, the median is the mean of the middle two.
  RunSetup setup = looking(3);
  double next_s = 3;
  const TieRange even =
      look_for_ties(setup, 1, 10, true, [&](const RunSetup&) { return next_s++; });
  CHECK(even.least_s == 3);
  CHECK(even.median_s == 4.5);
  CHECK(even.most_s == 10);
  const RangedTime ranged = ranged_time(10, even);
  CHECK(ranged.seconds == 4.5);
  CHECK(ranged.least_s() == 3);
  CHECK(ranged.most_s() == 10);
  CHECK(ranged.ties_matter());
  // If the range is negligible, the time is that of the run without shifts.
  const RangedTime same = ranged_time(10, {3, 1, 10, 10.004, 10.009});
  CHECK(same.seconds == 10);
  CHECK_FALSE(same.ties_matter());
  CHECK_FALSE(ranged_time(10, {}).ties_matter());
  CHECK(level_within_ties(ranged, {9.9}));
  CHECK_FALSE(level_within_ties(ranged, {10.1}));
  CHECK_FALSE(level_within_ties({2}, ranged));
}

TEST_CASE("Shifts of starts differ by operation and seed, and are repeatable") {
  std::set<double> parts;
  for (const std::uint64_t seed : {1U, 2U}) {
    const StartShifts shifts{2, seed};
    for (OpId id = 0; id < 1000; ++id) {
      CHECK(shifts.of(id) == shifts.of(id));
      CHECK((shifts.of(id) >= 0 && shifts.of(id) < 2));
      parts.insert(shifts.of(id));
    }
  }
  CHECK(parts.size() == 2000);
  CHECK(*parts.begin() < 0.1);
  CHECK(*parts.rbegin() > 1.9);
  CHECK(StartShifts{0, 1}.of(7) == 0);

  const Schedule schedule = schedule_of("allreduce/ring", 5, 4000);
  CHECK(ties_of_path(schedule, looking(3, 1)).most_s ==
        ties_of_path(schedule, looking(3, 1)).most_s);
  CHECK(ties_of_path(schedule, looking(3, 1)).most_s !=
        ties_of_path(schedule, looking(3, 2)).most_s);
}

// The runs include messages without latency within a host, and ranks that share cores.
TEST_CASE(
    "If nothing waits for a port or a core, tiny shifts of starts change the total equally "
    "little") {
  for (const char* name : {"allreduce/ring", "allreduce/recursive_doubling", "allgather/bruck",
                           "bcast/binomial", "reduce_scatter/circulant"}) {
    CAPTURE(name);
    const Schedule schedule = schedule_of(name, 8, 4096);
    for (const std::uint32_t ranks_per_host : {1U, 2U}) {
      RunSetup setup = looking(3);
      setup.ports = kUnlimitedPorts;
      const TieRange range = OnCrossbar(schedule, ranks_per_host).ties(schedule, setup);
      CHECK(range.runs == 3);
      CHECK(range.most_s > range.least_s);
      CHECK(range.most_s - range.least_s <= 1e-9 * range.most_s);
    }
  }
}

TEST_CASE("Ties are searched for automatically only where they can matter, at little cost") {
  const Schedule schedule = tied();
  RunSetup setup = looking(3);
  setup.ties.most_ops = schedule.size();
  CHECK(ties_of_path(schedule, setup).runs == 3);
  setup.ties.most_ops = schedule.size() - 1;
  CHECK(ties_of_path(schedule, setup).runs == 0);
  setup.ties.most_ops = schedule.size();
  setup.ports = 2;  // no message waits
  const TieRange range = ties_of_path(schedule, setup);
  CHECK(range.runs == 0);
  CHECK((range.least_s == 41 && range.most_s == 41));
  CHECK(ties_of_path(schedule, RunSetup()).runs == 0);
}

}  // namespace tutti::test_ties
