#include "schedules/patterns/rounds.hpp"

#include <catch2/catch.hpp>

#include "tests/schedules/problems.hpp"

namespace tutti::test_rounds {

namespace {

constexpr Move kToScratch{{0, 1}, kWork, kScratch};
constexpr Move kToWork{{0, 1}, kScratch, kWork};

std::vector<OpId> predecessors(const Schedule& schedule, OpId id) {
  const auto found = schedule.predecessors(id);
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("a rank's operations in a round come after all those of its last round") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 4, 1), 1);
  Rounds rounds(builder);
  rounds.next();
  const OpId a = rounds.comm(0, 1, kToScratch);
  const OpId b = rounds.comm(1, 0, kToScratch);
  const OpId reduced = rounds.reduce(1, kToWork, Operand::left, rounds.sent(1));
  rounds.next();
  const OpId c = rounds.comm(2, 3, kToScratch);  // neither rank did anything before
  rounds.next();
  const OpId d = rounds.comm(1, 2, kToScratch);
  const OpId e = rounds.comm(0, 3, kToScratch);
  const Schedule schedule = builder.finish();

  CHECK(predecessors(schedule, a).empty());
  CHECK(predecessors(schedule, b).empty());
  CHECK(predecessors(schedule, c).empty());
  // The reduction needs the received block, and may not overwrite a block that is still being sent.
  CHECK(predecessors(schedule, reduced) == std::vector<OpId>{a, b});
  // Message d waits for rank 1's send and reduction, and for rank 2's message of the previous
  // round.
  CHECK(predecessors(schedule, d) == std::vector<OpId>{b, reduced, c});
  CHECK(predecessors(schedule, e) == std::vector<OpId>{a, b, c});
  CHECK(schedule.op(a).label().level == 0);
  CHECK(schedule.op(c).label().level == 1);
  CHECK(schedule.op(e).label().level == 2);
}

TEST_CASE("a rank sends once and receives once per round") {
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
