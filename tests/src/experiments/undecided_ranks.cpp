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

TEST_CASE("rules are checked on as many nodes as ranks that look them up") {
  const Decision decision = decision_on({4, 8});
  // 13 ranks on 4 nodes, up to 28 on 7; 29 to 36 ranks are on 8 and 9 nodes.
  CHECK(ranks_to_check(decision, 0, 4, std::nullopt) ==
        Ranks{5, 6, 7, 13, 16, 17, 20, 21, 24, 25, 28});
  CHECK(ranks_to_check(decision, 1, 4, std::nullopt) == Ranks{29, 32, 33, 36});
  CHECK(ranks_to_check(decision, 1, 4, 80) == Ranks{29, 32, 33, 36, 77, 80});
  CHECK(ranks_to_check(decision, 1, 4, 28) == Ranks{25, 28});
  CHECK(ranks_to_check(decision, 0, 1, 6) == Ranks{5, 6});
}

TEST_CASE("above a rule that ends, the rules for the ranks of a node are checked") {
  // 4 nodes and the two ends of 5 to 17 nodes.
  CHECK(ranks_to_check(decision_on({4, 18}), 0, 4, std::nullopt) == Ranks{13, 16, 17, 20, 65, 68});
}

}}  // namespace tutti::test_undecided_ranks
