#include "schedules/schedule_union.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/hand_made.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_schedule_union {
namespace {

std::vector<OpId> ids(const OpIds& row) { return {row.begin(), row.end()}; }

double time_s(const Schedule& schedule, const Prices& prices) {
  return CriticalPathEngine(prices).run(schedule, {kUnlimitedPorts}).total_s;
}

UnionPart exchange() {
  HandMadeSchedule made(2);
  const OpId there = made.comm(0, 1, 3);
  const OpId sum = made.reduce(1, 3, {there});
  made.comm(1, 0, 3, {there, sum});
  return UnionPart(made.finish());
}

}  // namespace

TEST_CASE("a part runs on its own ranks, after what it follows at each of them") {
  const UnionPart part = exchange();
  ScheduleUnion made(4);
  const OpId compute = made.calculate(3, 500, kNoOp);
  const std::vector<Rank> members{3, 1};
  std::vector<OpId> at{compute, kNoOp};
  const OpRange first = made.append(part, members, at);
  CHECK(first.begin == 1);
  CHECK(at == std::vector<OpId>{3, 3});
  made.append(part, members, at);
  const Schedule schedule = made.finish();
  REQUIRE(schedule.size() == 7);
  CHECK(schedule.problem().collective == Collective::application);
  CHECK(schedule.op(0).bytes() == 500);
  CHECK(schedule.op(1).src() == 3);
  CHECK(schedule.op(1).dst() == 1);
  CHECK(schedule.op(2).rank() == 1);
  CHECK(ids(schedule.predecessors(1)) == std::vector<OpId>{0});
  CHECK(ids(schedule.predecessors(4)) == std::vector<OpId>{3});
  CHECK(ids(schedule.predecessors(6)) == std::vector<OpId>{4, 5});
}

TEST_CASE("a part has no barrier: a rank begins when it is ready, and ends alone") {
  // Rank 0 sends to rank 1, and rank 2 to rank 3.
  HandMadeSchedule made(4);
  made.comm(0, 1, 1);
  made.comm(2, 3, 1);
  const UnionPart part(made.finish());
  ScheduleUnion all(5);
  std::vector<OpId> at(4, kNoOp);
  at[0] = all.calculate(0, 7, kNoOp);
  at[3] = all.calculate(3, 7, kNoOp);
  all.append(part, std::vector<Rank>{0, 1, 2, 3}, at);
  CHECK(at == std::vector<OpId>{2, 2, 3, 3});
  const Schedule schedule = all.finish();
  CHECK(ids(schedule.predecessors(2)) == std::vector<OpId>{0});
  CHECK(ids(schedule.predecessors(3)) == std::vector<OpId>{1});
}

TEST_CASE("several last operations of a rank are joined, and ranks without operations go on") {
  HandMadeSchedule made(3);
  made.comm(0, 1, 1);
  made.comm(1, 0, 1);
  const UnionPart part(made.finish());
  ScheduleUnion all(3);
  std::vector<OpId> at(3, kNoOp);
  at[2] = all.calculate(2, 1, kNoOp);
  all.append(part, std::vector<Rank>{0, 1, 2}, at);
  const Schedule schedule = all.finish();
  CHECK(at == std::vector<OpId>{3, 4, 0});
  CHECK(schedule.op(3).bytes() == 0);
  CHECK(ids(schedule.predecessors(3)) == std::vector<OpId>{1, 2});
}

TEST_CASE("join() makes an operation only if there are several to wait for") {
  ScheduleUnion made(1);
  const OpId a = made.calculate(0, 1, kNoOp);
  const OpId b = made.calculate(0, 1, kNoOp);
  CHECK(made.join(0, std::vector<OpId>{kNoOp, kNoOp}) == kNoOp);
  CHECK(made.join(0, std::vector<OpId>{kNoOp, b, b}) == b);
  CHECK(made.join(0, std::vector<OpId>{b, a}) == 2);
  CHECK(made.size() == 3);
}

TEST_CASE("a long calculation keeps every picosecond") {
  ScheduleUnion made(1);
  const std::uint64_t long_ps = 3 * kMaxMessageBytes + 5;
  made.calculate(0, long_ps, kNoOp);
  const Schedule schedule = made.finish();
  CHECK(schedule.size() == 4);
  CHECK(time_s(schedule, {.copy_s_per_byte = kUnionCopy_s_per_byte}) ==
        Approx(static_cast<double>(long_ps) * 1e-12).epsilon(1e-15));
}

TEST_CASE("copies of a part cost what they cost on the machine") {
  HandMadeSchedule made(1);
  made.copy(0, 20);
  ScheduleUnion all(1);
  std::vector<OpId> at{kNoOp};
  all.append(UnionPart(made.finish(), 3e-9), std::vector<Rank>{0}, at);
  CHECK(all.finish().op(0).bytes() == 60'000);
}

TEST_CASE("messages of a part carry what their protocol adds, and reductions do not") {
  HandMadeSchedule made(2);
  made.comm(0, 1, 30);
  made.reduce(1, 30);
  ScheduleUnion all(2);
  std::vector<OpId> at(2, kNoOp);
  all.append(UnionPart(made.finish(), 0, 16.0 / 15), std::vector<Rank>{0, 1}, at);
  const Schedule schedule = all.finish();
  CHECK(schedule.op(0).bytes() == 32);
  CHECK(schedule.op(1).bytes() == 30);
}

TEST_CASE("parts in a row take the sum of their times, for every algorithm") {
  const Prices prices{1e-6, 1e-9, 2e-10, 0};
  for (const Algorithm* algorithm : host_algorithms()) {
    const Problem problem = problem_of(algorithm->collective, 6, 600);
    if (refuses(*algorithm, problem)) {
      continue;
    }
    const UnionPart part(make_schedule(*algorithm, problem, Detail::times_only));
    const double alone_s = time_s(part.schedule(), prices);
    ScheduleUnion made(6);
    std::vector<Rank> members(6);
    std::iota(members.rbegin(), members.rend(), Rank{0});
    std::vector<OpId> at(6, kNoOp);
    made.append(part, members, at);
    // Here, every rank waits for every other one before the second run.
    at.assign(6, made.join(0, at));
    made.append(part, members, at);
    INFO(algorithm->full_name());
    CHECK(time_s(made.finish(), prices) == Approx(2 * alone_s).epsilon(1e-12));
  }
}

TEST_CASE("switches of a part follow the ranks of the union") {
  const Algorithm& algorithm = algorithm_named("allreduce/nvls");
  const Problem problem = problem_of(Collective::allreduce, 4, 64);
  const UnionPart part(make_schedule(algorithm, problem, Detail::times_only));
  const std::uint32_t switches = part.schedule().switches();
  REQUIRE(switches > 0);
  ScheduleUnion made(8);
  std::vector<OpId> at(4, kNoOp);
  made.append(part, std::vector<Rank>{0, 1, 2, 3}, at, made.add_switches(switches));
  at.assign(4, kNoOp);
  const OpId begin =
      made.append(part, std::vector<Rank>{4, 5, 6, 7}, at, made.add_switches(switches)).begin;
  const Schedule schedule = made.finish();
  CHECK(schedule.switches() == 2 * switches);
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const bool second = id >= begin;
    for (const Rank place : {op.src(), op.dst()}) {
      CHECK((place < 8 ? place >= 4 : place >= 8 + switches) == second);
    }
  }
}

}  // namespace tutti::test_schedule_union
