#include "sim/sort_runs.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

namespace tutti::test_sort_runs {

TEST_CASE("runs are sorted, few or many") {
  std::mt19937 random(3);
  std::vector<std::uint32_t> scratch;
  for (unsigned size = 0; size < 200; ++size) {
    for (unsigned runs = 1; runs <= 24; ++runs) {
      std::vector<std::uint32_t> items;
      for (unsigned i = 0; i < size; ++i) {
        items.push_back(static_cast<std::uint32_t>(random() % 1000));
      }
      for (unsigned run = 0; run < runs; ++run) {
        std::sort(items.begin() + size * run / runs, items.begin() + size * (run + 1) / runs);
      }
      std::vector<std::uint32_t> expected = items;
      std::sort(expected.begin(), expected.end());
      sort_runs(items, scratch);
      REQUIRE(items == expected);
    }
  }
}

}  // namespace tutti::test_sort_runs
