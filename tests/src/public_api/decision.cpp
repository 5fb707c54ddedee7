#include "tutti/decision.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tutti/comparison.hpp"
#include "tutti/error.hpp"

namespace tutti::test_public_decision { namespace {

TEST_CASE("a public decision chooses the fastest algorithm in each cell of the grid") {
  v1::Grid grid;
  grid.ranks = {4, 6};
  grid.bytes = {64, 1 << 20};
  grid.jobs = 2;
  const std::vector<v1::Rule> rules = v1::decide(grid, 0, 0);
  std::map<std::pair<std::uint32_t, std::uint64_t>, double> least_s;
  const std::vector<v1::Timed> times = v1::compare(grid);
  for (const v1::Timed& each : times) {
    if (each.seconds) {
      const auto [at, is_new] = least_s.try_emplace({each.ranks, each.bytes}, *each.seconds);
      at->second = std::min(at->second, *each.seconds);
    }
  }
  for (const auto& [cell, seconds] : least_s) {
    const v1::Rule* chosen = nullptr;
    for (const v1::Rule& rule : rules) {
      if (rule.from_ranks == cell.first && rule.from_bytes <= cell.second) {
        chosen = &rule;
      }
    }
    REQUIRE(chosen != nullptr);
    if (!chosen->options.empty()) {
      continue;  // decide() also tries options, which may be faster
    }
    for (const v1::Timed& each : times) {
      if (each.algorithm == chosen->algorithm && each.ranks == cell.first &&
          each.bytes == cell.second) {
        CHECK(each.seconds.value_or(0) == Approx(seconds).epsilon(1e-6));
      }
    }
  }
  // Rules are in rising order of ranks, and each number of ranks begins at size 0 or the smallest.
  for (std::size_t i = 1; i < rules.size(); ++i) {
    const bool same_ranks = rules[i].from_ranks == rules[i - 1].from_ranks;
    CHECK(rules[i].from_ranks >= rules[i - 1].from_ranks);
    CHECK((!same_ranks || rules[i].from_bytes > rules[i - 1].from_bytes));
  }
}

TEST_CASE("a public decision refuses a share that is not below 1") {
  v1::Grid grid;
  grid.ranks = {2};
  grid.bytes = {64};
  CHECK_THROWS_WITH(v1::decide(grid, 1), Catch::Contains("tolerance 1"));
  CHECK_THROWS_WITH(v1::decide(grid, 0.01, -0.5), Catch::Contains("crossover -0.5"));
}

}}  // namespace tutti::test_public_decision
