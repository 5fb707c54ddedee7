#include "cost_models/longest_path.hpp"

#include <catch2/catch.hpp>

#include "tests/schedules/hand_made.hpp"

namespace tutti::test_longest_path {

TEST_CASE("the longest path of an empty schedule takes no time") {
  HandMadeSchedule made(2);
  const LongestPath path = longest_path(made.finish(), {1, 1, 1, 0});
  CHECK(path.total_s == 0);
  CHECK(path.ops.empty());
}

TEST_CASE("the longest path ignores limits of ports and cores") {
  HandMadeSchedule made(4);
  const OpId a = made.comm(0, 1, 1);
  made.comm(0, 2, 1);  // needs the same port as `a`, but the longest path ignores this
  const OpId c = made.reduce(1, 3, {a});
  const OpId d = made.comm(1, 3, 1, {c});
  made.comm(0, 3, 3);
  const Schedule schedule = made.finish();
  const LongestPath path = longest_path(schedule, {10, 1, 2, 0});
  CHECK(path.total_s == (10 + 1) + 6 + (10 + 1));
  CHECK(path.ops == std::vector<OpId>{a, c, d});
}

TEST_CASE("the longest path prices copies only on request") {
  HandMadeSchedule made(2);
  const OpId a = made.copy(0, 5);
  made.comm(0, 1, 1, {a});
  const Schedule schedule = made.finish();
  CHECK(longest_path(schedule, {1, 1, 1, 0}).total_s == 2);
  CHECK(longest_path(schedule, {1, 1, 1, 2}).total_s == 12);
}

}  // namespace tutti::test_longest_path
