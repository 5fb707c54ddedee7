#include "cost_models/published.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <string>

#include "schedules/registry.hpp"

using namespace tutti;

namespace {

constexpr Prices kPrices{2e-6, 3e-9, 5e-10, 0};

Problem problem_of(Collective collective, std::uint32_t ranks, std::uint64_t bytes) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = ranks;
  problem.bytes = bytes;
  return problem;
}

// Algorithms that are not registered yet have formulas already: only their names count.
Algorithm named(Collective collective, std::string_view name) {
  Algorithm algorithm{};
  algorithm.collective = collective;
  algorithm.name = name;
  return algorithm;
}

}  // namespace

TEST_CASE("the published ring cost misses exactly half at gamma 0, and the right one follows") {
  const Algorithm& ring = algorithm_named("allreduce/ring");
  const Prices no_gamma{2e-6, 3e-9, 0, 0};
  for (const std::uint32_t p : {2U, 5U, 64U}) {
    const Problem problem = problem_of(Collective::allreduce, p, 8 * 5 * 64 * 1024);
    const auto costs = published_costs(ring, problem, no_gamma);
    REQUIRE(costs.size() == 2);
    CHECK(costs[0].misprint);
    CHECK_FALSE(costs[1].misprint);
    CHECK(costs[0].formula == "(p-1) alpha + (p-1)/p n beta");
    CHECK(costs[0].seconds.value() * 2 == Approx(costs[1].seconds.value()).epsilon(1e-14));
    CHECK(costs[1].seconds.value() ==
          Approx(ring.exact_s(problem, no_gamma).value()).epsilon(1e-14));
    const auto with_gamma = published_costs(ring, problem, kPrices);
    CHECK(with_gamma[0].seconds == costs[0].seconds);
    CHECK(with_gamma[1].seconds.value() ==
          Approx(ring.exact_s(problem, kPrices).value()).epsilon(1e-14));
  }
}

TEST_CASE("published recursive doubling is exact for powers of two, and computed with lg p else") {
  const Algorithm& doubling = algorithm_named("allreduce/recursive_doubling");
  const double n = 8000;
  const double level_s = 2e-6 + n * 3e-9 + n * 5e-10;
  const auto seconds = [&](std::uint32_t p) {
    return published_costs(doubling, problem_of(Collective::allreduce, p, 8000), kPrices)
        .at(0)
        .seconds.value();
  };
  CHECK(seconds(16) == Approx(4 * level_s).epsilon(1e-14));
  CHECK(seconds(6) == Approx(std::log2(6.0) * level_s).epsilon(1e-14));
  CHECK(seconds(1) == 0);
}

TEST_CASE("published costs that hold equal the exact ones of the algorithms") {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->exact_s == nullptr) {
      continue;
    }
    Problem problem = problem_of(algorithm->collective, 16, 8 * 16 * 16 * 4);
    if (algorithm->refusal != nullptr && algorithm->refusal(problem)) {
      continue;
    }
    const auto exact_s = algorithm->exact_s(problem, kPrices);
    for (const PublishedCost& cost : published_costs(*algorithm, problem, kPrices)) {
      if (exact_s && !cost.misprint) {
        INFO(algorithm->full_name() << ": " << cost.formula);
        CHECK(cost.seconds.value() == Approx(*exact_s).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("published costs cost nothing on one rank, and say where they come from") {
  for (const Algorithm* algorithm : algorithms()) {
    const Problem problem = problem_of(algorithm->collective, 1, 4096);
    for (const PublishedCost& cost : published_costs(*algorithm, problem, kPrices)) {
      CHECK(cost.seconds.value() == 0);
      CHECK_FALSE(cost.citation.empty());
    }
  }
}

TEST_CASE("published costs by hand") {
  const double a = 2e-6;
  const double b = 1e6 * 3e-9;
  const double g = 1e6 * 5e-10;
  struct Case {
    Collective collective;
    std::string_view name;
    double seconds;
  };
  const Case cases[] = {
      {Collective::allreduce, "rabenseifner", 6 * a + 2 * 7. / 8 * b + 7. / 8 * g},
      {Collective::allreduce, "nonoverlapping", 6 * a + 6 * b + 3 * g},
      {Collective::allreduce, "circulant", 6 * a + 2 * 7. / 8 * b + 7. / 8 * g},
      {Collective::reduce_scatter, "circulant", 3 * a + 7. / 8 * (b + g)},
      {Collective::reduce_scatter, "recursive_halving", 3 * a + 7. / 8 * (b + g)},
      {Collective::reduce_scatter, "pairwise", 7 * a + 7. / 8 * (b + g)},
      {Collective::reduce_scatter, "ring", 7 * a + 7. / 8 * (b + g)},
      {Collective::allgather, "ring", 7 * a + 7. / 8 * b},
      {Collective::allgather, "recursive_doubling", 3 * a + 7. / 8 * b},
      {Collective::allgather, "bruck", 3 * a + 7. / 8 * b},
      {Collective::alltoall, "bruck", 3 * a + 1.5 * b},
      {Collective::alltoall, "pairwise", 7 * a + 7. / 8 * b},
      {Collective::bcast, "binomial", 3 * (a + b)},
      {Collective::bcast, "scatter_allgather", 10 * a + 2 * 7. / 8 * b},
      {Collective::reduce, "binomial", 3 * (a + b + g)},
      {Collective::reduce, "rabenseifner", 6 * a + 2 * 7. / 8 * b + 7. / 8 * g},
      {Collective::reduce, "circulant", 3 * (a + b + g)},
      {Collective::gather, "binomial", 3 * a + 7. / 8 * b},
      {Collective::scatter, "binomial", 3 * a + 7. / 8 * b},
      {Collective::barrier, "dissemination", 3 * a},
  };
  for (const Case& expected : cases) {
    const Algorithm algorithm = named(expected.collective, expected.name);
    const auto costs =
        published_costs(algorithm, problem_of(expected.collective, 8, 1000000), kPrices);
    INFO(algorithm.full_name());
    REQUIRE_FALSE(costs.empty());
    CHECK(costs[0].seconds.value() == Approx(expected.seconds).epsilon(1e-14));
  }
}

TEST_CASE("a published cost that depends on the options is given only where it applies") {
  const Algorithm circulant = named(Collective::reduce_scatter, "circulant");
  Problem problem = problem_of(Collective::reduce_scatter, 3, 24);
  CHECK(published_costs(circulant, problem, kPrices).size() == 1);
  problem.skips = parse_skips("sqrt");
  CHECK(published_costs(circulant, problem, kPrices).empty());
  problem.skips = parse_skips("doubling");
  problem.block_bytes = {0, 24, 0};
  const auto costs = published_costs(circulant, problem, kPrices);
  REQUIRE(costs.size() == 1);
  CHECK(costs[0].remark.find("Corollary 3") != std::string_view::npos);
  CHECK(published_costs(named(Collective::bcast, "none_such"), problem, kPrices).empty());

  // MPICH prints (p-1+n)/p in the factor of beta; nothing but (p-1+1)/p fits its own algorithm.
  const auto halving = published_costs(named(Collective::reduce_scatter, "recursive_halving"),
                                       problem_of(Collective::reduce_scatter, 6, 600), kPrices);
  REQUIRE(halving.size() == 2);
  CHECK(halving[1].seconds.value() ==
        Approx(4 * 2e-6 + 2 * 600 * 3e-9 + (1 + 5. / 6) * 600 * 5e-10).epsilon(1e-14));

  // The fold's formula is added only where ranks are folded.
  const Algorithm rabenseifner = named(Collective::allreduce, "rabenseifner");
  CHECK(published_costs(rabenseifner, problem_of(Collective::allreduce, 8, 800), kPrices).size() ==
        1);
  CHECK(published_costs(rabenseifner, problem_of(Collective::allreduce, 9, 720), kPrices).size() ==
        2);
}
