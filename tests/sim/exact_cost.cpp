// Checks that, with equal blocks and on a homogeneous network with one port per rank, the
// closed-form cost of an algorithm equals the simulated time of its schedule.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cost_models/longest_path.hpp"
#include "cost_models/lower_bounds.hpp"
#include "schedules/equal_blocks.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/sanitized.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_exact_cost {

namespace {

constexpr Prices kPrices{1.7e-6, 0.93e-9, 0.31e-9, 0};

std::vector<std::uint32_t> many_ranks() {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t ranks = 2; ranks <= 33; ++ranks) {
    counts.push_back(ranks);
  }
  counts.insert(counts.end(), {64, 128, 256});
  return counts;
}

// Calls `check` for every problem with at most kFew ranks, and for every `stride`-th problem with
// more ranks.
template <typename Check>
void for_all_problems(std::size_t stride, Check&& check) {
  constexpr std::uint32_t kFew = kSanitized ? 4 : 9;
  std::size_t turn = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (const std::uint32_t ranks : many_ranks()) {
      for (const std::uint64_t bytes :
           {std::uint64_t{1} << 10U, std::uint64_t{1} << 20U, std::uint64_t{1} << 26U}) {
        const Problem even = even_problem(algorithm->collective, ranks, bytes);
        // A segment is as large as the vector, half the vector, a block, or a quarter of a block.
        // Only these sizes are tried, because each segment adds an operation on every rank.
        const std::uint64_t n = even.elements();
        for (const Problem& problem :
             option_variants(*algorithm, even, {n, n / 2, n / ranks, n / ranks / 4})) {
          if (ranks > kFew && turn++ % stride != 0) {
            continue;
          }
          if (!refuses(*algorithm, problem)) {
            INFO(algorithm->full_name() << " p=" << ranks << " n=" << problem.bytes << ' '
                                        << options_text(*algorithm, problem));
            check(*algorithm, problem);
          }
        }
      }
    }
  }
}

void check_exact_costs(std::size_t stride) {
  std::set<std::string> compared;
  for_all_problems(stride, [&](const Algorithm& algorithm, const Problem& problem) {
    const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
    const double simulated_s = CriticalPathEngine(kPrices).run(schedule, {}).total_s;
    // Neither the lower bounds nor the longest path, which ignores ports, may exceed the time of
    // the algorithm.
    if (!algorithm.in_network()) {
      CHECK(lower_bounds(problem, kPrices).total_s() <= simulated_s * (1 + 1e-12));
    }
    CHECK(longest_path(schedule, kPrices).total_s <= simulated_s * (1 + 1e-12));
    if (algorithm.exact_s == nullptr || !equal_blocks(problem, algorithm.layout(problem))) {
      return;
    }
    if (const auto exact_s = algorithm.exact_s(problem, kPrices)) {
      // Each round adds a rounding error. In an allreduce over a tree, each segment, which is a
      // block of the schedule, adds the errors of all rounds.
      const double times = algorithm.full_name() == "allreduce/tree" ? schedule.blocks() : 1;
      const double epsilon = std::max(1e-12, 2.3e-16 * schedule.rounds() * times);
      CHECK(simulated_s == Approx(*exact_s).epsilon(epsilon).margin(0));
      compared.insert(algorithm.full_name());
    }
  });
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->exact_s != nullptr) {
      INFO(algorithm->full_name());
      CHECK(compared.count(algorithm->full_name()) == 1);
    }
  }
}

}  // namespace

TEST_CASE("the exact cost is the time of the critical path, to 1e-12") {
  check_exact_costs(kSanitized ? 20 : 5);
}

TEST_CASE("the exact cost is the time of the critical path, in all problems", "[slow]") {
  check_exact_costs(1);
}

namespace {

// Compares the closed form, if it holds for `problem`, with the time of the critical path.
void compare(const Algorithm& algorithm, const Problem& problem, const Prices& prices) {
  if (algorithm.exact_s == nullptr || refuses(algorithm, problem) ||
      !equal_blocks(problem, algorithm.layout(problem))) {
    return;
  }
  if (const auto exact_s = algorithm.exact_s(problem, prices)) {
    const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
    INFO(algorithm.full_name() << " p=" << problem.ranks << " n=" << problem.bytes << " root="
                               << problem.root << ' ' << options_text(algorithm, problem));
    CHECK(CriticalPathEngine(prices).run(schedule, {}).total_s ==
          Approx(*exact_s).epsilon(1e-9).margin(0));
  }
}

}  // namespace

TEST_CASE("the exact cost is the time of the critical path, for any root") {
  for (const Algorithm* algorithm : host_algorithms()) {
    if (!has_root(algorithm->collective)) {
      continue;
    }
    for (const std::uint32_t ranks : {2U, 3U, 8U, 15U, 22U}) {
      for (const Rank root : {ranks / 2, ranks - 1}) {
        Problem even = even_problem(algorithm->collective, ranks, std::uint64_t{1} << 18U);
        even.root = root;
        const std::uint64_t n = even.elements();
        for (const Problem& problem : option_variants(*algorithm, even, {n, n / ranks})) {
          compare(*algorithm, problem, kPrices);
        }
      }
    }
  }
}

TEST_CASE("the exact cost is the time of the critical path, with priced copies") {
  Prices priced = kPrices;
  priced.copy_s_per_byte = 0.23e-9;
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {2U, 5U, 16U, 17U}) {
      compare(*algorithm, even_problem(algorithm->collective, ranks, std::uint64_t{1} << 16U),
              priced);
    }
  }
}

TEST_CASE("algorithms in rounds lose no time to ports") {
  for (const char* name : {"allreduce/ring", "allreduce/recursive_doubling"}) {
    const Algorithm& algorithm = algorithm_named(name);
    for (const std::uint32_t ranks : {2U, 7U, 16U, 33U}) {
      const Schedule schedule =
          make_schedule(algorithm, problem_of(algorithm.collective, ranks, 1003));
      INFO(name << " p=" << ranks);
      CHECK(CriticalPathEngine(kPrices).run(schedule, {}).total_s ==
            Approx(longest_path(schedule, kPrices).total_s).epsilon(1e-12).margin(0));
    }
  }
}

}  // namespace tutti::test_exact_cost
