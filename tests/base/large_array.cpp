#include "base/large_array.hpp"

#include <catch2/catch.hpp>

#include <numeric>

namespace tutti::test_large_array {

TEST_CASE("reserving room for a large array changes only the time") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{3} << 20U}) {
    std::vector<unsigned> array{7, 8};
    reserve_large(array, size);
    CHECK(array == std::vector<unsigned>{7, 8});
    CHECK(array.capacity() >= size);
    array.resize(size + 2);
    std::iota(array.begin(), array.end(), 0U);
    CHECK(array.back() == size + 1);
  }
}

}  // namespace tutti::test_large_array
