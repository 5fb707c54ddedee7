// Tests Träff's receive schedules: compares those of 17 ranks with the table in MPICH's
// circ_graph.c, and checks the conditions for a correct schedule with up to 300 ranks.
#include "schedules/patterns/circulant_pipeline.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

#include "schedules/patterns/arithmetic.hpp"

namespace tutti::test_circulant_pipeline {

namespace {

std::vector<int> received(const std::vector<std::uint32_t>& skips, Rank rank) {
  std::vector<std::int8_t> found(skips.size() - 1);
  find_received(skips, rank, found.data());
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("receive schedules of 17 ranks match the published table") {
  const std::vector<std::uint32_t> skips = circulant_halves(17);
  CHECK(skips == std::vector<std::uint32_t>{1, 2, 3, 5, 9, 17});
  const std::vector<std::vector<int>> by_round{
      {-4, 0, -5, -4, -3, -5, -2, -5, -4, -3, -1, -5, -4, -3, -5, -2, -5},
      {-5, -4, 1, -5, -4, -3, -3, -2, -5, -4, -3, -1, -5, -4, -3, -3, -2},
      {-2, -2, -2, 2, 0, -4, -4, -3, -2, -2, -4, -3, -1, -1, -4, -4, -3},
      {-1, -3, -3, -2, -2, 3, 0, 1, 2, -5, -2, -2, -2, -2, -1, -1, -1},
      {-3, -1, -1, -1, -1, -1, -1, -1, -1, 4, 0, 1, 2, 0, 3, 0, 1},
  };
  for (Rank rank = 0; rank < 17; ++rank) {
    const std::vector<int> found = received(skips, rank);
    for (std::size_t round = 0; round < found.size(); ++round) {
      INFO("rank " << rank << ", round " << round);
      CHECK(found[round] == by_round[round][rank]);
    }
  }
}

TEST_CASE(
    "a rank receives each of q consecutive blocks once, and one of the first within q rounds") {
  for (std::uint32_t p = 2; p <= 300; ++p) {
    const std::vector<std::uint32_t> skips = circulant_halves(p);
    const auto q = static_cast<int>(ceil_log2(p));
    REQUIRE(skips.size() == ceil_log2(p) + 1);
    for (Rank rank = 1; rank < p; ++rank) {
      const std::vector<int> own = received(skips, rank);
      std::set<int> modulo;
      int first = 0;
      for (const int block : own) {
        modulo.insert((block + q) % q);
        first += block >= 0 ? 1 : 0;
      }
      CHECK(modulo.size() == own.size());
      CHECK(first == 1);
    }
  }
}

}  // namespace tutti::test_circulant_pipeline
