// Packings of spanning trees.
#include "src/search/tree_packing.hpp"

#include <catch2/catch.hpp>

#include "tests/src/search/goals.hpp"

using namespace tutti;

namespace {

std::vector<PackedTree> packed(const Goal& goal, const TreeEdges& edges, std::uint32_t per_root) {
  std::vector<PackedTree> trees;
  for (Rank root = 0; root < goal.problem.ranks; ++root) {
    for (std::uint32_t i = 0; i < per_root; ++i) {
      trees.push_back(
          {root, static_cast<double>(goal.problem.bytes) / goal.problem.ranks / per_root, {}});
    }
  }
  return pack_trees(edges, trees, 0.01, SearchRandom(1));
}

}  // namespace

TEST_CASE("trees of an allgather load the links of a torus almost as little as the bound") {
  const auto [ranks, per_root] = GENERATE(std::pair{27U, 3U}, std::pair{64U, 2U});
  const TestGoal test("torus_64.xml", Collective::allgather, ranks,
                      std::uint64_t{ranks} * (1 << 24U), kUnlimitedPorts);
  const TreeEdges edges(test.goal);
  const std::vector<PackedTree> trees = packed(test.goal, edges, per_root);
  WARN(ranks << " "
             << maximum_load_s(edges, trees) /
                    bounds_of(test.machine).bounds.of(test.goal.problem).seconds());
  const double bound_s = bounds_of(test.machine).bounds.of(test.goal.problem).seconds();
  CHECK(maximum_load_s(edges, trees) >= bound_s * (1 - 1e-3));
  CHECK(maximum_load_s(edges, trees) <= bound_s * 1.03);
}
