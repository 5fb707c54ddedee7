#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "src/requests/pair_sizes.hpp"

namespace tutti::test_skewed_blocks {

TEST_CASE("skewed blocks hold all elements, and their sizes never rise") {
  for (const double skew : {1e-9, 0.01, 0.5, 1.0, 3.0, 1e6, 1e300}) {
    for (const std::uint32_t blocks : {1U, 2U, 7U, 64U, 1000U}) {
      for (const std::uint64_t elements : {0ULL, 1ULL, 6ULL, 1000ULL, 1ULL << 41U}) {
        const auto sizes = skewed_blocks(elements, blocks, skew);
        INFO("skew " << skew << ", " << blocks << " blocks, " << elements << " elements");
        REQUIRE(sizes.size() == blocks);
        CHECK(std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) == elements);
        CHECK(std::is_sorted(sizes.rbegin(), sizes.rend()));
      }
    }
  }
}

TEST_CASE("skewed blocks match sizes computed by hand") {
  CHECK(skewed_blocks(10, 3, 0).empty());  // without skew, the caller splits evenly
  CHECK(skewed_blocks(7, 3, 1) == std::vector<std::uint64_t>{4, 2, 1});
  CHECK(skewed_blocks(70, 3, 1) == std::vector<std::uint64_t>{40, 20, 10});
  // The exact shares are 5.14, 2.57 and 1.29.
  CHECK(skewed_blocks(9, 3, 1) == std::vector<std::uint64_t>{5, 3, 1});
  CHECK(skewed_blocks(9, 3, 1e300) == std::vector<std::uint64_t>{9, 0, 0});
}

}  // namespace tutti::test_skewed_blocks
