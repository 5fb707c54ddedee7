#include "schedules/patterns/phases.hpp"

#include <catch2/catch.hpp>

#include "tests/schedules/problems.hpp"

namespace tutti::test_phases {

TEST_CASE("a rank cannot have more messages in a phase than declared") {
  constexpr Move kToScratch{{0, 1}, kWork, kScratch};
  ScheduleBuilder builder(problem_of(Collective::allreduce, 4, 1), 1);
  Phases phases(builder, 2);
  phases.next();
  phases.comm(0, 1, kToScratch, 0);
  phases.comm(0, 2, kToScratch, 1);
  CHECK_THROWS_AS(phases.comm(0, 3, kToScratch, 2), InvariantError);
}

}  // namespace tutti::test_phases
