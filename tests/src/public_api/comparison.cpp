#include "tutti/comparison.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "tutti/error.hpp"

namespace tutti::test_public_comparison { namespace {

using Catch::Contains;
using Catch::StartsWith;

v1::Grid grid_of(std::vector<std::uint32_t> ranks, std::vector<std::uint64_t> bytes) {
  v1::Grid grid;
  grid.collective = v1::Collective::bcast;
  grid.ranks = std::move(ranks);
  grid.bytes = std::move(bytes);
  grid.jobs = 2;
  return grid;
}

TEST_CASE("a public comparison is ordered by ranks, then by size") {
  const std::vector<v1::Timed> all = v1::compare(grid_of({8, 5}, {4096, 64}));
  const auto cell_of = [](const v1::Timed& each) { return std::pair(each.ranks, each.bytes); };
  CHECK(std::ranges::is_sorted(all, {}, cell_of));
  CHECK(cell_of(all.front()) == std::pair(std::uint32_t{5}, std::uint64_t{64}));
  CHECK(cell_of(all.back()) == std::pair(std::uint32_t{8}, std::uint64_t{4096}));
  const auto of_cell = std::ranges::count(all, cell_of(all.front()), cell_of);
  CHECK(static_cast<std::size_t>(4 * of_cell) == all.size());
  // All cells have the algorithms in the same order.
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].algorithm == all[i % static_cast<std::size_t>(of_cell)].algorithm);
    CHECK_THAT(all[i].algorithm, StartsWith("bcast/"));
  }
}

TEST_CASE("a public comparison has either a time or the reason why there is none") {
  std::size_t refused = 0;
  for (const v1::Timed& each : v1::compare(grid_of({5}, {4096}))) {
    CHECK(each.seconds.has_value() == each.refusal.empty());
    if (each.seconds) {
      CHECK(*each.seconds > 0);
      CHECK(each.least_s <= *each.seconds);
      CHECK(each.most_s >= *each.seconds);
    } else {
      ++refused;
    }
  }
  CHECK(refused > 0);  // some algorithms need a power of two
}

TEST_CASE("a public grid without a cell is refused") {
  CHECK_THROWS_WITH(v1::compare(grid_of({}, {64})), StartsWith("Grid::ranks"));
  CHECK_THROWS_WITH(v1::compare(grid_of({4, 0}, {64})), StartsWith("Grid::ranks"));
  CHECK_THROWS_WITH(v1::compare(grid_of({4}, {})), StartsWith("Grid::bytes"));
  v1::Grid barrier = grid_of({4}, {0, 8});
  barrier.collective = v1::Collective::barrier;
  CHECK_THROWS_WITH(v1::compare(barrier), Contains("a barrier moves no data"));
  v1::Grid unknown = grid_of({4}, {64});
  unknown.options = {{"no-such-option", "1"}};
  CHECK_THROWS_AS(v1::compare(unknown), v1::Error);
}

TEST_CASE("a public comparison passes its options on") {
  v1::Grid grid = grid_of({16}, {1 << 20});
  const auto time_with = [&](const char* radix) {
    grid.options = {{"radix", radix}};
    for (const v1::Timed& each : v1::compare(grid)) {
      if (each.algorithm == "bcast/sag_knomial") {
        return each.seconds.value_or(0);
      }
    }
    return 0.0;
  };
  CHECK(time_with("2") > 0);
  CHECK(time_with("2") != time_with("4"));
}

TEST_CASE("an interrupt before a public function has no effect") {
  v1::interrupt();
  CHECK(!v1::compare(grid_of({2}, {64})).empty());
}

}}  // namespace tutti::test_public_comparison
