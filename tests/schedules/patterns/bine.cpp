// Tests Bine butterflies and trees: partners are as far apart as the paper states, and the subtrees
// of a tree consist of consecutive ranks.
#include "schedules/patterns/bine.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace tutti::test_bine {

TEST_CASE("partners are 1, -1, 3, -5, 11, -21, 43 ranks apart, and mutual") {
  std::vector<std::int64_t> distances;
  for (std::uint32_t step = 0; step < 7; ++step) {
    distances.push_back(bine_rho(step));
  }
  CHECK(distances == std::vector<std::int64_t>{1, -1, 3, -5, 11, -21, 43});
  for (std::uint32_t p = 2; p <= 100; p += 2) {
    for (std::uint32_t step = 0; step < BineButterfly(p).steps(); ++step) {
      for (Rank rank = 0; rank < p; ++rank) {
        CHECK(bine_partner(bine_partner(rank, step, p), step, p) == rank);
      }
    }
  }
}

TEST_CASE("the Bine tree of 8 ranks has the expected edges") {
  const auto edges = BineTree(8, 0).edges();
  std::vector<std::vector<std::pair<Rank, Rank>>> by_step(edges.size());
  for (std::size_t step = 0; step < edges.size(); ++step) {
    for (const BineTree::Edge& edge : edges[step]) {
      by_step[step].emplace_back(edge.near, edge.far);
    }
  }
  CHECK(by_step == std::vector<std::vector<std::pair<Rank, Rank>>>{
                       {{0, 1}, {3, 2}, {4, 5}, {7, 6}}, {{3, 4}, {0, 7}}, {{0, 3}}});
}

TEST_CASE("subtrees of powers of two are consecutive ranks, modulo p") {
  for (const std::uint32_t p : {2U, 4U, 8U, 64U, 256U}) {
    for (const auto& step : BineTree(p, p / 2 + 1).subtrees()) {
      for (const BineTree::Parcel& subtree : step) {
        for (std::size_t i = 1; i < subtree.blocks.size(); ++i) {
          CHECK(subtree.blocks[i] == (subtree.blocks[i - 1] + 1) % p);
        }
      }
    }
  }
}

}  // namespace tutti::test_bine
