#include "schedules/registry.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "base/nearest.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_registry {

TEST_CASE("algorithms have unique names, and complete descriptions") {
  std::set<std::string> names;
  for (const Algorithm* algorithm : algorithms()) {
    INFO(algorithm->full_name());
    CHECK(names.insert(algorithm->full_name()).second);
    CHECK(&algorithm_named(algorithm->full_name()) == algorithm);
    CHECK_FALSE(algorithm->idea.empty());
    CHECK_FALSE(algorithm->source.empty());
    // An algorithm has a cost formula in words exactly if it has one in code.
    CHECK(algorithm->cost.empty() == (algorithm->exact_s == nullptr));
    CHECK(algorithm->layout != nullptr);
    CHECK(algorithm->emit != nullptr);
  }
  CHECK_FALSE(names.empty());
}

TEST_CASE("algorithms of one collective are listed together") {
  std::set<Collective> seen;
  std::optional<Collective> last;
  for (const Algorithm* algorithm : algorithms()) {
    if (last != algorithm->collective) {
      CHECK(seen.insert(algorithm->collective).second);
      last = algorithm->collective;
    }
  }
}

TEST_CASE("an unknown algorithm gets the nearest name as a suggestion") {
  CHECK_THROWS_AS(algorithm_named("allreduce/rign"), UserError);
  CHECK_THROWS_WITH(algorithm_named("allreduce/rign"),
                    Catch::Contains("did you mean 'allreduce/ring'?"));
  CHECK_THROWS_WITH(algorithm_named("allreduce/recursive_doubling "),
                    Catch::Contains("did you mean 'allreduce/recursive_doubling'?"));
  CHECK_THROWS_WITH(algorithm_named("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"),
                    !Catch::Contains("did you mean"));
  CHECK_THROWS_AS(algorithm_named(""), UserError);
}

TEST_CASE("the nearest word is close, or there is none") {
  const std::vector<std::string> words{"ring", "bruck", "pairwise"};
  CHECK(nearest("rings", words) == "ring");
  CHECK(nearest("brück", words) == "bruck");
  CHECK(nearest("pair", words) == "pairwise");
  CHECK(nearest("xyz", words).empty());
  CHECK(nearest("ring", {}).empty());
}

TEST_CASE("collectives are found by their names") {
  for (const Collective collective : kCollectives) {
    CHECK(collective_named(name(collective)) == collective);
  }
  CHECK_FALSE(collective_named("allredcue"));
}

TEST_CASE("problems that no algorithm can serve are refused in one line that names the value") {
  const Algorithm& doubling = algorithm_named("allreduce/recursive_doubling");
  Problem problem = problem_of(Collective::allreduce, 0, 1);
  CHECK_THROWS_WITH(check(doubling, problem), Catch::StartsWith("0 ranks"));
  problem = problem_of(Collective::allreduce, 1U << 24U, 1);
  CHECK_THROWS_WITH(check(doubling, problem), Catch::StartsWith("16777216 ranks"));
  // This ring has more steps than the level of a label can number.
  problem = problem_of(Collective::allreduce, 40, 40U << 20U);
  problem.segment_bytes = 8;
  CHECK_THROWS_WITH(check(algorithm_named("allreduce/segmented_ring"), problem),
                    Catch::Contains("more than 430184; use a larger --segment"));
  problem = problem_of(Collective::allreduce, 4, 1);
  problem.bytes = 13;
  CHECK_THROWS_WITH(check(doubling, problem), Catch::StartsWith("13 bytes are not a whole number"));
  problem.element_bytes = 0;
  CHECK_THROWS_AS(check(doubling, problem), UserError);
  problem = problem_of(Collective::allreduce, 4, 1, 4);
  CHECK_THROWS_WITH(check(doubling, problem),
                    Catch::StartsWith("root 4 is not one of the 4 ranks, 0 to 3"));
  problem = problem_of(Collective::bcast, 4, 1);
  CHECK_THROWS_AS(check(doubling, problem), InvariantError);
}

}  // namespace tutti::test_registry
