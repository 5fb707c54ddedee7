// Checks that, on a crossbar with one port per rank, SimGrid's times of every operation equal those
// of the critical-path engine. exact_cost.cpp compares that engine with the closed forms.
#include <cstdint>
#include <vector>

#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/sanitized.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/sim/random_schedule.hpp"
#include "tests/sim/simgrid_cells.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_simgrid_exact {

namespace {

struct Cell {
  const Algorithm* algorithm;
  Problem problem;
};

void add(std::vector<Cell>& cells, const Algorithm& algorithm, const Problem& problem) {
  if (!refuses(algorithm, problem)) {
    cells.push_back({&algorithm, problem});
  }
}

std::string against_critical_path(const Schedule& schedule, const SimGridResult& simulated) {
  return difference(simulated.timeline, CriticalPathEngine(simulated.prices).run(schedule, {}));
}

std::string check_cell(const Cell& cell, const LoadedPlatform& platform) {
  const Problem& problem = cell.problem;
  const Schedule schedule = make_schedule(*cell.algorithm, problem, Detail::times_only);
  const std::string wrong = against_critical_path(schedule, platform.simulate(schedule, {}));
  return wrong.empty()
             ? wrong
             : fmt::format("{} p={} n={} elem={} root={} {}: {}", cell.algorithm->full_name(),
                           problem.ranks, problem.bytes, problem.element_bytes, problem.root,
                           options_text(*cell.algorithm, problem), wrong);
}

}  // namespace

TEST_CASE("SimGrid on crossbars of 128 and 256 hosts: simulated = longest path") {
  std::vector<Cell> cells;
  for (const Algorithm* algorithm : host_algorithms()) {
    const std::uint64_t elements = algorithm->collective == Collective::barrier ? 0 : 1U << 17U;
    for (const std::uint32_t ranks :
         kSanitized ? std::vector<std::uint32_t>{64} : std::vector<std::uint32_t>{128, 256}) {
      add(cells, *algorithm, problem_of(algorithm->collective, ranks, elements));
    }
  }
  check_cells(crossbar_config(256), cells.size(), [&](std::size_t i, const LoadedPlatform& loaded) {
    return check_cell(cells[i], loaded);
  });
}

namespace {

// Checks every `stride`-th combination of sizes, roots and options.
void check_any_size(std::size_t stride) {
  std::vector<Cell> cells;
  std::vector<Cell> odd_cells;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {2U, 3U, 4U, 5U, 7U, 8U, 12U, 17U, 33U}) {
      for (const std::uint64_t elements : element_counts(algorithm->collective, ranks)) {
        for (const Rank root : roots(algorithm->collective, ranks)) {
          for (const Problem& problem : option_variants(
                   *algorithm, problem_of(algorithm->collective, ranks, elements, root))) {
            add(cells, *algorithm, problem);
          }
        }
      }
      // Except in a barrier, `odd` has a prime number of elements of one byte each.
      Problem odd = problem_of(algorithm->collective, ranks, 0);
      odd.element_bytes = 1;
      odd.bytes = algorithm->collective == Collective::barrier ? 0 : 1'000'003;
      add(odd_cells, *algorithm, odd);
    }
  }
  check_cells(crossbar_config(33), cells.size() / stride,
              [&](std::size_t i, const LoadedPlatform& loaded) {
                return check_cell(cells[i * stride], loaded);
              });
  // The platform's cost of reducing a byte depends on the element size.
  SimGridConfig bytewise = crossbar_config(33);
  bytewise.element_bytes = 1;
  check_cells(bytewise, odd_cells.size(), [&](std::size_t i, const LoadedPlatform& loaded) {
    return check_cell(odd_cells[i], loaded);
  });
}

}  // namespace

TEST_CASE("SimGrid on a crossbar with one port: simulated = longest path for any size") {
  check_any_size(kSanitized ? 397 : 41);
}

TEST_CASE("SimGrid on a crossbar with one port: any size, a fifth of them", "[slow]") {
  check_any_size(5);
}

TEST_CASE("SimGrid and the critical path agree on random schedules with one port") {
  // The first case has few different sizes, so that many events coincide. The second has many
  // sizes, and a price for copies.
  for (const auto& [max_bytes, copy_s_per_byte] :
       {std::pair{3U, 0.0}, std::pair{HandMadeSchedule::kMaxBytes, 0.3e-7}}) {
    SimGridConfig config = crossbar_config(9);
    config.overrides = {1e-6, 1e-7, 0.7e-7};
    config.copy_s_per_byte = copy_s_per_byte;
    const std::uint32_t bytes = max_bytes;
    check_cells(config, 150, [bytes](std::size_t i, const LoadedPlatform& loaded) {
      std::mt19937_64 random(test_seed() + i);
      const std::uint32_t ranks = 1 + static_cast<std::uint32_t>(random() % 9);
      const Schedule schedule = random_schedule(random, ranks, 400, bytes);
      const std::string wrong = against_critical_path(schedule, loaded.simulate(schedule, {}));
      return wrong.empty() ? wrong : fmt::format("seed {}: {}", test_seed() + i, wrong);
    });
  }
}

TEST_CASE("SimGrid and the critical path agree for any prices that the user gives") {
  const Algorithm& ring = algorithm_named("allreduce/ring");
  const Schedule schedule =
      make_schedule(ring, problem_of(Collective::allreduce, 6, 1003), Detail::times_only);
  for (const PriceOverrides& overrides :
       {PriceOverrides{3e-5, 2e-9, 7e-10}, PriceOverrides{0.0, 2e-9, 7e-10},
        PriceOverrides{3e-5, 0.0, 7e-10}, PriceOverrides{3e-5, 2e-9, 0.0},
        PriceOverrides{0.0, {}, {}}, PriceOverrides{{}, 1e-13, {}}, PriceOverrides{0.0, 0.0, 7e-10},
        PriceOverrides{0.0, 0.0, 0.0}}) {
    // Overrides scale the figures of a platform file, or set those of a generated crossbar.
    for (const std::string& file : {std::string(), source_dir() + "/platforms/crossbar_64.xml"}) {
      SimGridConfig config = crossbar_config(6);
      config.platform.file = file;
      config.overrides = overrides;
      const SimGridResult simulated = simulate_isolated(schedule, config, {});
      CHECK(against_critical_path(schedule, simulated) == "");
      CHECK(simulated.prices.alpha_s == overrides.alpha_s.value_or(simulated.prices.alpha_s));
      CHECK(simulated.facts.latency_s == simulated.prices.alpha_s);
    }
  }
}

TEST_CASE("events less than an instant apart are simultaneous, at any time of the clock") {
  // Two messages end slightly apart, and the messages after them need the same port. If the first
  // two end within one instant, the message with the smaller id goes next; otherwise the message
  // that is ready first goes next.
  const auto smaller_id_is_first = [&](double alpha_s, double beta_s, std::uint32_t bytes_apart) {
    HandMadeSchedule made(5);
    const OpId late = made.comm(0, 1, 30);
    const OpId early = made.comm(2, 3, 30 - bytes_apart);
    const OpId small = made.comm(1, 4, 1, {late});
    const OpId large = made.comm(3, 4, 1, {early});
    const Schedule schedule = made.finish();
    SimGridConfig config = crossbar_config(5);
    config.overrides = {alpha_s, beta_s, {}};
    const SimGridResult simulated = simulate_isolated(schedule, config, {});
    CHECK(against_critical_path(schedule, simulated) == "");
    return simulated.timeline.start_s[small] < simulated.timeline.start_s[large];
  };
  // An instant is 1 ps long early in a run, and 100 ps long at 10 s.
  CHECK(smaller_id_is_first(1e-6, 1e-13, 4));
  CHECK_FALSE(smaller_id_is_first(1e-6, 1e-13, 20));
  CHECK(smaller_id_is_first(10, 1e-11, 4));
  CHECK_FALSE(smaller_id_is_first(10, 1e-11, 20));
}

TEST_CASE("a simulated year loses nothing to rounding") {
  HandMadeSchedule made(3);
  OpId last = kNoOp;
  for (int i = 0; i < 100; ++i) {
    last = made.comm(static_cast<Rank>(i % 3), static_cast<Rank>((i + 1) % 3), 31, {last});
  }
  const Schedule schedule = made.finish();
  SimGridConfig config = crossbar_config(3);
  config.overrides = {1e-7, 1e4, {}};
  const SimGridResult simulated = simulate_isolated(schedule, config, {});
  CHECK(against_critical_path(schedule, simulated) == "");
}

TEST_CASE("a difference between timelines is detected in any operation") {
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/ring"), problem_of(Collective::allreduce, 5, 1000),
                    Detail::times_only);
  const SimGridResult simulated = simulate_isolated(schedule, crossbar_config(5), {});
  REQUIRE(against_critical_path(schedule, simulated) == "");
  for (const double off : {1 + 3e-9, 1 - 3e-9, std::nan("")}) {
    for (OpId id = 0; id < schedule.size(); ++id) {
      Timeline planted = simulated.timeline;
      planted.end_s[id] = simulated.timeline.end_s[id] + (off - 1) * planted.total_s;
      CHECK(difference(simulated.timeline, planted) != "");
      planted = simulated.timeline;
      planted.start_s[id] = simulated.timeline.start_s[id] + (off - 1) * planted.total_s;
      CHECK(difference(simulated.timeline, planted) != "");
    }
  }
  // The comparison must also detect slightly wrong prices.
  Prices wrong = simulated.prices;
  wrong.beta_s_per_byte *= 1 + 1e-7;
  CHECK(difference(simulated.timeline, CriticalPathEngine(wrong).run(schedule, {})) != "");
}

}  // namespace tutti::test_simgrid_exact
