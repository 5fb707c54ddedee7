#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_recursive_doubling {

namespace {

Schedule doubling(std::uint32_t ranks, Fold fold) {
  Problem problem = problem_of(Collective::allreduce, ranks, 100);
  problem.fold = fold;
  return make_schedule(algorithm_named("allreduce/recursive_doubling"), problem);
}

}  // namespace

TEST_CASE("recursive doubling takes lg p rounds, and two more for a fold") {
  for (const Fold fold : {Fold::neighbours, Fold::far}) {
    CHECK(doubling(1, fold).size() == 0);
    CHECK(doubling(2, fold).rounds() == 1);
    CHECK(doubling(8, fold).rounds() == 3);
    CHECK(doubling(8, fold).messages() == 24);
    CHECK(doubling(11, fold).rounds() == 5);
    CHECK(doubling(11, fold).messages() == 3 + 24 + 3);
    CHECK(doubling(11, fold).bytes_sent() == 30 * 800);
    CHECK(doubling(11, fold).bytes_reduced() == (3 + 24) * 800);
  }
}

TEST_CASE("partners differ in one bit, and exchange at the same level") {
  const Schedule schedule = doubling(16, Fold::neighbours);
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      CHECK((op.src() ^ op.dst()) == 1U << op.label().level);
    }
  }
}

TEST_CASE("the fold decides which rank represents which") {
  CHECK(doubling(3, Fold::neighbours).op(0).src() == 0);
  CHECK(doubling(3, Fold::neighbours).op(0).dst() == 1);
  CHECK(doubling(3, Fold::far).op(0).src() == 2);
  CHECK(doubling(3, Fold::far).op(0).dst() == 0);
}

}  // namespace tutti::test_recursive_doubling
