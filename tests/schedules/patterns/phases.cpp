#include "schedules/patterns/phases.hpp"

#include <catch2/catch.hpp>

#include "schedules/patterns/rounds.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_phases {

namespace {

constexpr Move to_slot(std::uint32_t slot) { return {{0, 1}, kWork, {Buffer::scratch, slot}}; }
constexpr Move kToWork{{0, 1}, kScratch, kWork};

std::vector<OpId> predecessors(const Schedule& schedule, OpId id) {
  const auto found = schedule.predecessors(id);
  return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("a rank's operations in a phase come after all those of its last phase") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 4, 1), 1);
  Phases phases(builder, 4);
  phases.next();
  const OpId a = phases.comm(0, 1, to_slot(0), 0);
  const OpId b = phases.comm(0, 2, to_slot(0), 1);
  const OpId c = phases.comm(1, 0, to_slot(0), 0);
  phases.next();
  const OpId d = phases.comm(3, 2, to_slot(1), 0);
  phases.next();
  const OpId e = phases.comm(0, 1, to_slot(1), 0);
  const OpId f = phases.comm(2, 3, to_slot(0), 1);
  const Schedule schedule = builder.finish();
  for (const OpId first : {a, b, c}) {
    CHECK(predecessors(schedule, first).empty());
  }
  CHECK(predecessors(schedule, d) == std::vector<OpId>{b});
  CHECK(predecessors(schedule, e) == std::vector<OpId>{a, b, c});
  CHECK(predecessors(schedule, f) == std::vector<OpId>{d});
  CHECK(schedule.op(f).label() == Label{2, 1});
}

TEST_CASE("the operation at the end of a phase represents the whole phase") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 1), 1);
  Phases phases(builder, 4);
  phases.copy_first(0, {{0, 1}, kInput, kWork});
  phases.next();
  const OpId a = phases.comm(1, 0, to_slot(0), 0);
  const OpId b = phases.comm(2, 0, to_slot(1), 1);
  phases.reduce(0, kToWork, Operand::right, 0);
  phases.reduce(0, {{0, 1}, {Buffer::scratch, 1}, kWork}, Operand::right, 1);
  phases.next();
  const OpId e = phases.comm(0, 1, to_slot(0), 0);
  const Schedule schedule = builder.finish();
  CHECK(predecessors(schedule, a) == std::vector<OpId>{0});
  CHECK(predecessors(schedule, b) == std::vector<OpId>{0});
  CHECK(predecessors(schedule, b + 1) == std::vector<OpId>{a, b});
  CHECK(predecessors(schedule, b + 2) == std::vector<OpId>{b + 1});
  CHECK(predecessors(schedule, e) == std::vector<OpId>{a, b + 2});
}

TEST_CASE("phases with one message in each direction equal rounds") {
  for (const std::uint32_t p : {2U, 5U, 8U}) {
    const Problem problem = problem_of(Collective::allgather, p, p);
    ScheduleBuilder in_phases(problem, 1);
    ScheduleBuilder in_rounds(problem, 1);
    Phases phases(in_phases, 2);
    Rounds rounds(in_rounds);
    for (Rank rank = 0; rank < p; ++rank) {
      phases.copy_first(rank, {{0, 1}, kInput, kWork});
      rounds.copy_first(rank, {{0, 1}, kInput, kWork});
    }
    for (std::uint32_t distance = 1; distance < p; ++distance) {
      phases.next();
      rounds.next();
      for (Rank rank = 0; rank < p; ++rank) {
        phases.comm(rank, (rank + distance) % p, to_slot(0));
        rounds.comm(rank, (rank + distance) % p, to_slot(0));
      }
      for (Rank rank = 0; rank < p; rank += 2) {
        phases.copy(rank, kToWork, 1);
        rounds.copy(rank, kToWork);
      }
    }
    const Schedule a = in_phases.finish();
    const Schedule b = in_rounds.finish();
    REQUIRE(a.size() == b.size());
    for (OpId id = 0; id < a.size(); ++id) {
      CHECK(a.op(id) == b.op(id));
      CHECK(predecessors(a, id) == predecessors(b, id));
    }
  }
}

TEST_CASE("a rank cannot have more messages in a phase than declared") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 4, 1), 1);
  Phases phases(builder, 2);
  phases.next();
  phases.comm(0, 1, to_slot(0), 0);
  phases.comm(0, 2, to_slot(0), 1);
  CHECK_THROWS_AS(phases.comm(0, 3, to_slot(0), 2), InvariantError);
}

}  // namespace tutti::test_phases
