// Tests that the displayed remaining time counts down, and does not jump when estimates change.
#include <catch2/catch.hpp>

#include <cmath>

#include "src/formats/progress.hpp"

namespace tutti::test_time_left {

TEST_CASE("The time left falls steadily even if estimates fluctuate", "[progress]") {
  RemainingTime left;
  constexpr double kAll_s = 60;
  double before = left.show(0, kAll_s);
  CHECK(before == kAll_s);
  for (int step = 1; step < 300; ++step) {
    const double now_s = 0.2 * step;
    // The estimate oscillates by 20 % with a period of a few seconds.
    const double wavering = 1 + 0.2 * std::sin(now_s);
    const double shown = left.show(now_s, (kAll_s - now_s) * wavering);
    CHECK(shown <= before);
    CHECK(before - shown < 1);
    CHECK(std::abs(shown - (kAll_s - now_s)) < 0.2 * kAll_s);
    before = shown;
  }
}

TEST_CASE("The time left grows slowly, if far more is left than was estimated", "[progress]") {
  RemainingTime left;
  (void)left.show(0, 10);
  double before = left.show(0.2, 100);
  CHECK(before < 20);
  for (int step = 2; step < 100; ++step) {
    const double shown = left.show(0.2 * step, 100);
    CHECK(shown - before < 5);
    before = shown;
  }
  CHECK(before > 70);
}

}  // namespace tutti::test_time_left
