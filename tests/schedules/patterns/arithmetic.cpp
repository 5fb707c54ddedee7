#include "schedules/patterns/arithmetic.hpp"

#include <catch2/catch.hpp>

namespace tutti::test_arithmetic {

TEST_CASE("logarithms of whole numbers are right") {
  CHECK(ceil_log2(1) == 0);
  CHECK(floor_log2(1) == 0);
  CHECK(power_of_two_below(1) == 1);
  for (std::uint32_t p = 2; p < 3000; ++p) {
    CHECK((1U << floor_log2(p)) == power_of_two_below(p));
    CHECK(power_of_two_below(p) <= p);
    CHECK(2 * power_of_two_below(p) > p);
    CHECK((1U << ceil_log2(p)) >= p);
    CHECK((1U << (ceil_log2(p) - 1)) < p);
  }
  CHECK(ceil_log2(0xffffffffU) == 32);
}

}  // namespace tutti::test_arithmetic
