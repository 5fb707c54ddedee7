#include "schedules/patterns/rounds.hpp"

#include <catch2/catch.hpp>

#include "tests/schedules/problems.hpp"

namespace tutti::test_rounds {

TEST_CASE("a rank sends once and receives once per round") {
  constexpr Move kToScratch{{0, 1}, kWork, kScratch};
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 1), 1);
  Rounds rounds(builder);
  rounds.next();
  CHECK(rounds.sent(0) == kNoOp);
  const OpId a = rounds.comm(0, 1, kToScratch);
  CHECK(rounds.sent(0) == a);
  CHECK_THROWS_AS(rounds.comm(0, 2, kToScratch), InvariantError);
  CHECK_THROWS_AS(rounds.comm(2, 1, kToScratch), InvariantError);
}

}  // namespace tutti::test_rounds
