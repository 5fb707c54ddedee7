// Tests NCCL's double tree: compares the trees of 14 ranks with the figure in NCCL's trees.cc, and
// checks that at most one rank forwards both halves of a vector.
#include "schedules/patterns/double_tree.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace tutti::test_double_tree {

namespace {

constexpr Rank kNobody = 0xffffffffU;

std::vector<Rank> parents(const RootedTree& tree, std::uint32_t p) {
  std::vector<Rank> parents(p, kNobody);
  for (const RootedTree::Edge& edge : tree.edges) {
    CHECK(parents[edge.child] == kNobody);
    parents[edge.child] = edge.parent;
  }
  return parents;
}

}  // namespace

TEST_CASE("the two trees of 14 ranks have the expected edges") {
  const auto trees = double_tree(14, 0);
  CHECK(parents(trees[0], 14) ==
        std::vector<Rank>{kNobody, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12});
  CHECK(parents(trees[1], 14) ==
        std::vector<Rank>{1, 5, 3, 1, 3, 13, 7, 9, 7, 5, 11, 9, 11, kNobody});
}

TEST_CASE("only one rank forwards both halves") {
  for (std::uint32_t p = 1; p <= 200; ++p) {
    const auto trees = double_tree(p, p / 3);
    std::vector<unsigned> inner(p, 0);
    for (const RootedTree& tree : trees) {
      std::vector<bool> hands_on(p, false);
      for (const RootedTree::Edge& edge : tree.edges) {
        hands_on[edge.parent] = true;
      }
      for (Rank rank = 0; rank < p; ++rank) {
        inner[rank] += hands_on[rank] ? 1 : 0;
      }
    }
    INFO("p=" << p);
    CHECK(std::count(inner.begin(), inner.end(), 2U) <= 1);
  }
}

}  // namespace tutti::test_double_tree
