#include "cost_models/published.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_published {

namespace {

constexpr Prices kPrices{2e-6, 3e-9, 5e-10, 0};

Problem formula_problem(Collective collective, std::uint32_t ranks, std::uint64_t bytes) {
  return problem_of(collective, ranks, bytes / 8);
}

// Returns an algorithm with only a collective and a name, because formulas depend only on these.
// The algorithm need not be registered.
Algorithm named(Collective collective, std::string_view name) {
  Algorithm algorithm{};
  algorithm.collective = collective;
  algorithm.name = name;
  return algorithm;
}

}  // namespace

TEST_CASE("the published ring cost has a misprinted variant that is exactly half of it") {
  const Algorithm& ring = algorithm_named("allreduce/ring");
  const Prices no_gamma{2e-6, 3e-9, 0, 0};
  for (const std::uint32_t p : {2U, 5U, 64U}) {
    const Problem problem = formula_problem(Collective::allreduce, p, 8 * 5 * 64 * 1024);
    const auto costs = published_costs(ring, problem, no_gamma);
    REQUIRE(costs.size() == 2);
    CHECK_FALSE(costs[0].misprint());
    CHECK(costs[1].misprint());
    CHECK(costs[1].formula == "(p-1) alpha + (p-1)/p n beta");
    CHECK(costs[1].seconds * 2 == Approx(costs[0].seconds).epsilon(1e-14));
    CHECK(costs[0].seconds == Approx(ring.exact_s(problem, no_gamma).value()).epsilon(1e-14));
    const auto with_gamma = published_costs(ring, problem, kPrices);
    CHECK(with_gamma[1].seconds == costs[1].seconds);
    CHECK(with_gamma[0].seconds == Approx(ring.exact_s(problem, kPrices).value()).epsilon(1e-14));
  }
}

// The prices in this test are those of the crossbar that tutti uses without --platform: alpha is
// 2 us, beta 0.8 ns per byte, and gamma 0.125 ns per byte.
TEST_CASE(
    "formulas for p that is not a power of two are used there, and lg p is rounded up where "
    "stated") {
  struct Case {
    const char* algorithm;
    std::uint32_t ranks;
    std::uint64_t bytes;
    double seconds;
  };
  for (const Case& expected : {
           Case{"reduce_scatter/recursive_halving", 12, 48 * 1024, 100.4192e-6},
           Case{"allreduce/rabenseifner", 6, 64 * 1024, 236.0032e-6},
           Case{"reduce/rabenseifner", 6, 64 * 1024, 181.5744e-6},
           Case{"gather/binomial", 12, 48 * 1024, 44.0448e-6},
           Case{"bcast/scatter_allgather", 12, 48 * 1024, 102.0896e-6},
       }) {
    INFO(expected.algorithm);
    const Algorithm& algorithm = algorithm_named(expected.algorithm);
    const auto costs = published_costs(
        algorithm, formula_problem(algorithm.collective, expected.ranks, expected.bytes),
        {2e-6, 0.8e-9, 0.125e-9, 0});
    REQUIRE(costs.size() == 1);
    CHECK(costs[0].seconds == Approx(expected.seconds).epsilon(1e-9));
  }
}

TEST_CASE("published costs are 0 on one rank, and name their source") {
  for (const Algorithm* algorithm : algorithms()) {
    const Problem problem = formula_problem(algorithm->collective, 1, 4096);
    for (const PublishedCost& cost : published_costs(*algorithm, problem, kPrices)) {
      CHECK(cost.seconds == 0);
      CHECK_FALSE(cost.citation.empty());
    }
  }
}

TEST_CASE("published costs match values computed by hand") {
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
        published_costs(algorithm, formula_problem(expected.collective, 8, 1000000), kPrices);
    INFO(algorithm.full_name());
    REQUIRE_FALSE(costs.empty());
    CHECK(costs[0].seconds == Approx(expected.seconds).epsilon(1e-14));
  }
}

TEST_CASE("a published cost that depends on the options is given only where it applies") {
  const Algorithm circulant = named(Collective::reduce_scatter, "circulant");
  Problem problem = formula_problem(Collective::reduce_scatter, 3, 24);
  CHECK(published_costs(circulant, problem, kPrices).size() == 1);
  problem.skips = parse_skips("sqrt");
  CHECK(published_costs(circulant, problem, kPrices).empty());
  problem.skips = parse_skips("doubling");
  problem.block_bytes = {0, 24, 0};
  const auto costs = published_costs(circulant, problem, kPrices);
  REQUIRE(costs.size() == 1);
  CHECK(costs[0].section.find("Corollary 3") != std::string_view::npos);
  CHECK(published_costs(named(Collective::bcast, "none_such"), problem, kPrices).empty());

  // The formula in MPICH's source has (p-1+n)/p in the factor of beta, but only (p-1+1)/p, which is
  // 1, fits MPICH's algorithm.
  const auto halving =
      published_costs(named(Collective::reduce_scatter, "recursive_halving"),
                      formula_problem(Collective::reduce_scatter, 6, 600), kPrices);
  REQUIRE(halving.size() == 1);
  CHECK(halving[0].seconds ==
        Approx(4 * 2e-6 + 2 * 600 * 3e-9 + (1 + 5. / 6) * 600 * 5e-10).epsilon(1e-14));

  // If the root is a rank that another rank represents, the algorithm sends one message more than
  // the formula counts, so the formula does not apply.
  const Algorithm gathers = named(Collective::reduce, "reduce_scatter_gather");
  Problem folded = formula_problem(Collective::reduce, 6, 600);
  CHECK(published_costs(gathers, folded, kPrices).size() == 1);
  folded.root = 3;
  CHECK(published_costs(gathers, folded, kPrices).empty());
  folded.root = 5;
  CHECK(published_costs(gathers, folded, kPrices).size() == 1);
}

}  // namespace tutti::test_published
