#include "src/simulation/critical_chain.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>

#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "src/simulation/run_result.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_critical_chain {

namespace {

constexpr Prices kPrices{.alpha_s = 1, .beta_s_per_byte = 0.5, .gamma_s_per_byte = 0.25};

double sum(const CriticalChain& chain) {
  double sum_s = 0;
  chain.spent.each([&](Spending, double seconds) { sum_s += seconds; });
  return sum_s;
}

std::vector<OpId> ops(const CriticalChain& chain) {
  std::vector<OpId> ids;
  for (const ChainStep& step : chain.steps) {
    ids.push_back(step.op);
  }
  return ids;
}

}  // namespace

TEST_CASE("The chain of a message and a reduction is found") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 1), 1);
  const OpId message = builder.comm({0, 0}, 0, 1, {{0, 1}, kWork, kScratch}, {});
  const OpId reduction =
      builder.reduce({0, 0}, 1, {{0, 1}, kScratch, kWork}, Operand::left, std::array{message});
  const Schedule schedule = builder.finish();
  const Timeline timeline = CriticalPathEngine(kPrices).run(schedule, {});
  const CriticalChain chain = critical_chain(schedule, timeline, own_times_by(kPrices));
  CHECK(ops(chain) == std::vector<OpId>{message, reduction});
  CHECK(chain.spent[Spending::startup] == 1);
  CHECK(chain.spent[Spending::transfer] == 4);
  CHECK(chain.spent[Spending::reduction] == 2);
  CHECK(chain.spent[Spending::sharing] == 0);
  CHECK(chain.spent[Spending::lateness] == 0);
}

TEST_CASE("An operation that waited for a port follows the one that held it") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 2), 2);
  const OpId first = builder.comm({0, 0}, 0, 1, {{0, 2}, kWork, kWork}, {});
  const OpId second = builder.comm({0, 0}, 0, 2, {{0, 1}, kWork, kWork}, {});
  const Schedule schedule = builder.finish();
  const Timeline timeline = CriticalPathEngine(kPrices).run(schedule, {});
  const CriticalChain chain = critical_chain(schedule, timeline, own_times_by(kPrices));
  CHECK(ops(chain) == std::vector<OpId>{first, second});
  CHECK(chain.spent[Spending::startup] == 2);
  CHECK(chain.spent[Spending::transfer] == 12);
}

TEST_CASE("Time beyond alpha and beta is lost by sharing, and a gap means a late rank") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 1), 1);
  builder.comm({0, 0}, 0, 1, {{0, 1}, kWork, kScratch}, {});
  const Schedule schedule = builder.finish();
  Timeline slow;
  slow.start_s = {3};
  slow.end_s = {3 + 1 + 4 + 7};
  slow.total_s = 15;
  const CriticalChain chain = critical_chain(schedule, slow, own_times_by(kPrices));
  CHECK(chain.spent[Spending::sharing] == Approx(7));
  CHECK(chain.spent[Spending::lateness] == Approx(3));
  CHECK(sum(chain) == Approx(15));
}

TEST_CASE("The parts of every algorithm's chain add up to its time") {
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : {1U, 2U, 5U, 8U, 12U}) {
      const Problem request =
          problem_of(algorithm->collective, ranks, std::uint64_t{ranks} * 10 + 3);
      if (refuses(*algorithm, request)) {
        continue;
      }
      const Schedule schedule = make_schedule(*algorithm, request);
      for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
        const Timeline timeline = CriticalPathEngine(kPrices).run(schedule, {ports});
        const CriticalChain chain =
            critical_chain(schedule, timeline, own_times_by(kPrices, ranks));
        CHECK(sum(chain) == Approx(timeline.total_s));
        CHECK(chain.spent[Spending::sharing] == 0);
        CHECK(chain.spent[Spending::lateness] == 0);
      }
    }
  }
}

TEST_CASE("An empty schedule has an empty chain") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 1, 1), 1);
  const Schedule schedule = builder.finish();
  CHECK(critical_chain(schedule, Timeline{}, own_times_by(kPrices)).steps.empty());
}

namespace {

struct Place {
  const char* file;
  std::uint32_t ranks_per_host;
};

// Returns twelve platforms with one rank per host, and those ten of them that have a loopback also
// with eight ranks per host.
std::vector<Place> all_places() {
  std::vector<Place> places;
  for (const char* file :
       {"crossbar_64.xml", "ethernet_10g_64.xml", "ethernet_1g_32.xml", "infiniband_hdr_128.xml",
        "infiniband_hdr_128_thin.xml", "infiniband_hdr_1024_thin.xml", "slingshot_128.xml",
        "infiniband_hdr_1024.xml", "smp_16x8.xml", "smp_32x32.xml", "torus_64.xml",
        "torus_512.xml"}) {
    places.push_back({file, 1});
    if (!std::string(file).starts_with("torus")) {
      places.push_back({file, 8});
    }
  }
  return places;
}

// Returns true if one rank was simulated for several. In that case, checks that the account and the
// longest path equal those of a run of all ranks.
bool check_one_for_all(const Algorithm& algorithm, const Problem& problem, const Place& place,
                       std::uint32_t ports) {
  Machine machine;
  machine.spec.source.file = source_dir() + "/platforms/" + place.file;
  open_platform(machine.spec, machine.files);
  if (problem.ranks > machine.files.cluster->host_count() * place.ranks_per_host) {
    return false;
  }
  machine.setup.ports = ports;
  machine.setup.ties.runs = 0;
  place_ranks(machine, problem.ranks, place.ranks_per_host);
  choose_engine(machine);
  const RunResult some = simulate(algorithm, problem, machine, Detail::times_only).result;
  if (!some.symmetry) {
    return false;
  }
  machine.spec.symmetry = SymmetryUse::off;
  const RunResult all = simulate(algorithm, problem, machine, Detail::times_only).result;
  CAPTURE(place.file, place.ranks_per_host, algorithm.full_name(), problem.ranks, problem.bytes,
          ports);
  const double rounding_s = 1e-12 * all.simulated_s;
  CHECK(std::fabs(some.simulated_s - all.simulated_s) <= rounding_s);
  CHECK(std::fabs(some.longest_path_s - all.longest_path_s) <= 1e-12 * all.longest_path_s);
  CHECK(some.chain_ops == all.chain_ops);
  some.chain.spent.each([&](Spending on, double seconds) {
    CAPTURE(name(on), seconds, all.chain.spent[on]);
    CHECK(std::fabs(seconds - all.chain.spent[on]) <= rounding_s);
  });
  return true;
}

// Checks every `step`-th combination of place, algorithm, number of ranks, size and ports. Returns
// the number of runs in which one rank was simulated for several.
std::size_t check_one_for_all(const std::vector<std::uint32_t>& rank_counts, std::size_t step) {
  std::size_t turn = 0;
  std::size_t checked = 0;
  for (const Place& place : all_places()) {
    for (const Algorithm* algorithm : host_algorithms()) {
      if (algorithm->symmetry == nullptr) {
        continue;
      }
      for (const std::uint32_t ranks : rank_counts) {
        for (const std::uint64_t elements : {std::uint64_t{ranks}, std::uint64_t{ranks} * 1024}) {
          for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
            const Problem request = problem_of(algorithm->collective, ranks, elements);
            if (!refuses(*algorithm, request) && turn++ % step == 0) {
              checked += check_one_for_all(*algorithm, request, place, ports) ? 1 : 0;
            }
          }
        }
      }
    }
  }
  return checked;
}

}  // namespace

// With eight ranks per host, messages within a host and messages between hosts have different
// start-up times. Several chains may end at the same time, but with different accounts, so that the
// account depends on which of them is selected.
TEST_CASE("one rank for many has the same account as all ranks") {
  const Algorithm& doubling = algorithm_named("allreduce/recursive_doubling");
  CHECK(check_one_for_all(doubling, problem_of(Collective::allreduce, 64, 64), {"smp_16x8.xml", 8},
                          1));
  CHECK(check_one_for_all(doubling, problem_of(Collective::allreduce, 64, 131'072),
                          {"infiniband_hdr_128_thin.xml", 1}, 1));
  CHECK(check_one_for_all({16, 24, 32}, 23) > 40);
}

TEST_CASE("one rank for many has the same account as all ranks, everywhere", "[slow]") {
  CHECK(check_one_for_all({4, 8, 12, 16, 24, 32, 48, 64}, 1) > 1000);
}

}  // namespace tutti::test_critical_chain
