#include "src/experiments/sites/undecided_ranks.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace tutti::test_undecided_ranks { namespace {

using Ranks = std::vector<std::uint32_t>;

Decision decision_on(Ranks ranks) {
  Decision decision;
  decision.ranks = std::move(ranks);
  return decision;
}

TEST_CASE("rules are checked on all numbers of ranks up to the next decided one") {
  const Decision decision = decision_on({4, 8});
  CHECK(ranks_to_check(decision, 0, 1, std::nullopt) == Ranks{5, 6, 7});
  CHECK(ranks_to_check(decision, 1, 1, std::nullopt).empty());
  CHECK(ranks_to_check(decision_on({4, 17}), 0, 1, std::nullopt).size() == 12);
  CHECK(ranks_to_check(decision_on({4, 18}), 0, 1, std::nullopt).empty());  // too many
}

TEST_CASE("rules are checked where they decide about as many nodes as ranks") {
  const Decision decision = decision_on({4, 8});
  CHECK(ranks_to_check(decision, 1, 4, std::nullopt) == Ranks{32});
  CHECK(ranks_to_check(decision, 0, 2, std::nullopt) == Ranks{5, 6, 7});  // 8 is decided
  CHECK(ranks_to_check(decision, 1, 4, 8) == Ranks{32});
  CHECK(ranks_to_check(decision, 1, 4, 7).empty());
  CHECK(ranks_to_check(decision, 0, 1, 6) == Ranks{5, 6});
}

}}  // namespace tutti::test_undecided_ranks
