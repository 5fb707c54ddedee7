// Checks that, on a crossbar with one port per rank, SimGrid's total time equals the closed-form
// cost of the algorithm, and that SimGrid's times of every operation equal those of the
// critical-path engine.
#include <cstdint>
#include <vector>

#include "schedules/equal_blocks.hpp"
#include "schedules/patterns/arithmetic.hpp"
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
  if (algorithm.refusal == nullptr || !algorithm.refusal(problem)) {
    cells.push_back({&algorithm, problem});
  }
}

// Returns a problem of about `bytes` bytes, in which all algorithms have equal blocks: the number
// of elements is a multiple of p times the largest power of two up to p, where p is the number of
// ranks.
Problem even_problem(Collective collective, std::uint32_t ranks, std::uint64_t bytes) {
  const std::uint64_t unit = std::uint64_t{ranks} * power_of_two_below(ranks);
  const std::uint64_t units = std::max<std::uint64_t>(1, (bytes / 8 + unit / 2) / unit);
  return problem_of(collective, ranks, collective == Collective::barrier ? 0 : units * unit);
}

std::string describe(const Cell& cell, const std::string& wrong) {
  const Problem& problem = cell.problem;
  return wrong.empty()
             ? wrong
             : fmt::format("{} p={} n={} elem={} root={} {}: {}", cell.algorithm->full_name(),
                           problem.ranks, problem.bytes, problem.element_bytes, problem.root,
                           options_text(*cell.algorithm, problem), wrong);
}

std::string against_critical_path(const Schedule& schedule, const SimGridResult& simulated) {
  return difference(simulated.timeline, CriticalPathEngine(simulated.prices).run(schedule, {}));
}

std::string check_cell(const Cell& cell, const LoadedPlatform& platform) {
  const Schedule schedule = make_schedule(*cell.algorithm, cell.problem, Detail::times_only);
  const SimGridResult simulated = platform.simulate(schedule, {});
  return describe(cell, against_critical_path(schedule, simulated));
}

// Like check_cell(), but also compares the total time with the closed form.
std::string exact_fault(const Cell& cell, const LoadedPlatform& platform) {
  const Schedule schedule = make_schedule(*cell.algorithm, cell.problem, Detail::times_only);
  const SimGridResult simulated = platform.simulate(schedule, {});
  std::string wrong = against_critical_path(schedule, simulated);
  const double exact_s = *cell.algorithm->exact_s(cell.problem, simulated.prices);
  if (!(std::abs(simulated.timeline.total_s / exact_s - 1) <= 1e-9)) {
    wrong += fmt::format(" simulated {:.17g} s, exact cost {:.17g} s", simulated.timeline.total_s,
                         exact_s);
  }
  return describe(cell, wrong);
}

// Adds a cell for each root in `roots` and each value of each option, if the algorithm has a closed
// form for this cell.
void add_exact_variants(std::vector<Cell>& cells, const Algorithm& algorithm, std::uint32_t ranks,
                        std::uint64_t bytes, const std::vector<Rank>& roots) {
  if (algorithm.exact_s == nullptr) {
    return;
  }
  for (const Rank root : roots) {
    Problem even = even_problem(algorithm.collective, ranks, bytes);
    even.root = root;
    const std::uint64_t n = even.elements();
    for (const Problem& problem : option_variants(algorithm, even, {n, n / ranks})) {
      if ((algorithm.refusal == nullptr || !algorithm.refusal(problem)) &&
          equal_blocks(problem, algorithm.layout(problem)) && algorithm.exact_s(problem, {})) {
        cells.push_back({&algorithm, problem});
      }
    }
  }
}

// Returns `problem` and variants of it that have closed forms. An algorithm with segments gets a
// segment size that makes all segments equal. The algorithm multilane gets rings as its parts,
// because its default parts have no closed form.
std::vector<Problem> problems_with_forms(const Algorithm& algorithm, const Problem& problem) {
  std::vector<Problem> problems{problem};
  if (algorithm.name == "multilane" && reduces(algorithm.collective)) {
    problems.push_back(problem);
    problems.back().within = parse_stage_parts(
        "--within", algorithm.collective == Collective::allreduce ? "ring+ring" : "ring");
    problems.back().across = parse_stage_parts("--across", "ring");
    problems.back().ranks_per_node = problem.ranks % 2 == 0 ? problem.ranks / 2 : problem.ranks;
  }
  if (takes(algorithm, Option::segment) && problem.ranks <= 8) {
    problems.push_back(problem);
    problems.back().segment_bytes =
        problem.bytes / problem.ranks / power_of_two_below(problem.ranks);
  }
  return problems;
}

bool is_exact(const Cell& cell) {
  const Algorithm& algorithm = *cell.algorithm;
  // The closed form holds for equal segments. With the default segment size, the last segment may
  // be shorter than the others.
  const bool segmented = takes(algorithm, Option::segment);
  return algorithm.exact_s(cell.problem, {}) &&
         (!segmented || equal_blocks(cell.problem, algorithm.layout(cell.problem)));
}

// With up to 9 ranks, or if `all` is set, checks all sizes. With more ranks, checks only one size
// for each algorithm and number of ranks; this size varies. Each algorithm must have at least
// `least_cells` cells.
void check_exact(const std::vector<std::uint32_t>& rank_counts,
                 const std::vector<std::uint64_t>& sizes, std::size_t least_cells, bool all) {
  constexpr std::uint32_t kFew = 9;
  std::size_t turn = 0;
  std::vector<Cell> cells;
  for (const Algorithm* algorithm : host_algorithms()) {
    if (algorithm->exact_s == nullptr) {
      continue;
    }
    const std::size_t before = cells.size();
    for (const std::uint32_t ranks : rank_counts) {
      for (const std::uint64_t bytes : sizes) {
        if (!all && ranks > kFew && turn++ % sizes.size() != ranks % sizes.size()) {
          continue;
        }
        const Problem even = even_problem(algorithm->collective, ranks, bytes);
        for (const Problem& problem : problems_with_forms(*algorithm, even)) {
          if (is_exact({algorithm, problem})) {
            add(cells, *algorithm, problem);
          }
        }
      }
    }
    INFO(algorithm->full_name());
    CHECK(cells.size() >= before + least_cells);
  }
  REQUIRE(!cells.empty());
  check_cells(crossbar_config(256), cells.size(), [&](std::size_t i, const LoadedPlatform& loaded) {
    return exact_fault(cells[i], loaded);
  });
}

constexpr std::uint64_t kKiB = 1U << 10U;
const std::vector<std::uint64_t> kSizes{kKiB, kKiB* kKiB, 64 * kKiB* kKiB};

}  // namespace

TEST_CASE("SimGrid on a crossbar with one port: simulated = exact = longest path") {
  // Few ranks, powers of two, powers of two plus and minus one, and others.
  std::vector<std::uint32_t> rank_counts{2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 22, 31, 33, 64};
  if (kSanitized) {
    rank_counts = {2, 3, 4, 7, 8, 15, 22};
  }
  check_exact(rank_counts, kSizes, 3, false);
}

TEST_CASE("SimGrid on a crossbar with one port: the other numbers of ranks", "[slow]") {
  // No least number of cells for each algorithm: some run only on powers of two, of which only 32
  // is here, and bcast/split_binary_tree has no cell at all.
  check_exact({10, 11, 13, 14, 18, 19, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30, 32}, kSizes, 0,
              false);
}

TEST_CASE("SimGrid on crossbars of 128 and 256 hosts: simulated = exact = longest path") {
  check_exact(kSanitized ? std::vector<std::uint32_t>{64} : std::vector<std::uint32_t>{128, 256},
              {kKiB * kKiB}, 0, true);
}

// Marked as slow, because this test takes minutes under sanitizers.
TEST_CASE("SimGrid on crossbars of 128 and 256 hosts: the other sizes", "[slow]") {
  check_exact({128, 256}, {kKiB, 64 * kKiB * kKiB}, 0, true);
}

TEST_CASE("SimGrid on a crossbar with one port: simulated = exact for options and roots") {
  std::vector<Cell> cells;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {2U, 3U, 8U, 15U, 22U}) {
      const std::vector<Rank> sample = has_root(algorithm->collective)
                                           ? std::vector<Rank>{0, ranks / 2, ranks - 1}
                                           : std::vector<Rank>{0};
      add_exact_variants(cells, *algorithm, ranks, std::uint64_t{1} << 18U, sample);
    }
  }
  check_cells(crossbar_config(33), cells.size(), [&](std::size_t i, const LoadedPlatform& loaded) {
    return exact_fault(cells[i], loaded);
  });
}

TEST_CASE("SimGrid on a crossbar with one port: simulated = exact for many roots", "[slow]") {
  std::vector<Cell> cells;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : rank_counts()) {
      if (ranks == 1) {
        continue;  // a single rank takes no time
      }
      // Tries all roots with few ranks, and every third root with more ranks.
      std::vector<Rank> some{0};
      const Rank step = ranks > 9 ? 3 : 1;
      for (Rank root = 1; has_root(algorithm->collective) && root < ranks; root += step) {
        some.push_back(root);
      }
      for (const std::uint64_t bytes : {std::uint64_t{1} << 10U, std::uint64_t{1} << 20U}) {
        add_exact_variants(cells, *algorithm, ranks, bytes, some);
      }
    }
  }
  constexpr std::size_t kStride = 5;
  check_cells(crossbar_config(64), cells.size() / kStride,
              [&](std::size_t i, const LoadedPlatform& loaded) {
                return exact_fault(cells[i * kStride], loaded);
              });
}

TEST_CASE("SimGrid and the closed forms agree on priced copies") {
  SimGridConfig config = crossbar_config(17);
  config.copy_s_per_byte = 0.23e-9;
  std::vector<Cell> cells;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {2U, 5U, 16U, 17U}) {
      const Problem problem = even_problem(algorithm->collective, ranks, std::uint64_t{1} << 16U);
      const Prices priced{1e-6, 1e-9, 1e-9, config.copy_s_per_byte};
      if (algorithm->exact_s != nullptr && is_exact({algorithm, problem}) &&
          algorithm->exact_s(problem, priced)) {
        add(cells, *algorithm, problem);
      }
    }
  }
  check_cells(config, cells.size(), [&](std::size_t i, const LoadedPlatform& loaded) {
    return exact_fault(cells[i], loaded);
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
       {std::pair{3U, 0.0}, std::pair{HandMade::kMaxBytes, 0.3e-7}}) {
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
    HandMade made(5);
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
  HandMade made(3);
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
