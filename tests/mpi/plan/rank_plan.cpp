// Tests the plan of a rank, which is the part of a schedule that this rank knows, and the tags of
// messages.
#include "sim/mpi/plan/rank_plan.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <set>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/served_ranks.hpp"

namespace tutti::mpi {
namespace {

Schedule example(const Algorithm& algorithm, std::uint32_t ranks) {
  return make_schedule(algorithm, problem_of(algorithm, ranks, 10 * ranks));
}

// Executes the plans of all ranks without MPI. A step starts when its plan allows it. A message is
// complete when its send and its receive are both posted. Sends and receives are matched by pair of
// ranks, tag and order of posting, as in MPI. Returns the number of sends that were matched with
// the receive of a different operation. Fails if a step never starts.
std::size_t wrong_matches(const Schedule& schedule, std::uint64_t tags) {
  struct End {
    Rank rank;
    Step step;
  };
  std::vector<RankPlan> plans;
  std::vector<std::vector<std::uint32_t>> waits;
  std::vector<End> ready;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    plans.push_back(plan_of(schedule, rank, tags));
    waits.emplace_back();
    for (Step step = 0; step < plans.back().size(); ++step) {
      waits.back().push_back(plans.back().entries[step].waits_for);
      if (waits.back().back() == 0) {
        ready.push_back({rank, step});
      }
    }
  }
  std::size_t started = 0;
  std::size_t wrong = 0;
  std::map<std::tuple<Rank, Rank, int>, std::vector<End>> sends;
  std::map<std::tuple<Rank, Rank, int>, std::vector<End>> receives;
  const auto let_go = [&](Rank rank, Step step) {
    if (--waits[rank][step] == 0) {
      ready.push_back({rank, step});
    }
  };
  const auto finish = [&](const End& end) {
    for (const Step next : plans[end.rank].successors(end.step)) {
      let_go(end.rank, next);
    }
  };
  while (!ready.empty()) {
    // Takes the newest step first, so that the order of steps differs much from the order of ids.
    const End end = ready.back();
    ready.pop_back();
    ++started;
    const RankPlan::Entry& entry = plans[end.rank].entries[end.step];
    if (entry.opens != kNoStep) {
      let_go(end.rank, entry.opens);
    }
    if (entry.role == Role::reduce || entry.role == Role::copy) {
      finish(end);
      continue;
    }
    const bool is_send = entry.role == Role::send;
    const auto channel = is_send ? std::tuple(end.rank, entry.peer, entry.tag)
                                 : std::tuple(entry.peer, end.rank, entry.tag);
    std::vector<End>& mine = is_send ? sends[channel] : receives[channel];
    std::vector<End>& others = is_send ? receives[channel] : sends[channel];
    mine.push_back(end);
    if (others.size() >= mine.size()) {
      const End& other = others[mine.size() - 1];
      wrong += plans[other.rank].entries[other.step].id == entry.id ? 0 : 1;
      finish(end);
      finish(other);
    }
  }
  std::size_t steps = 0;
  for (const RankPlan& plan : plans) {
    steps += plan.size();
  }
  REQUIRE(started == steps);
  return wrong;
}

}  // namespace

TEST_CASE("A rank's plan has exactly the operations of that rank") {
  for (const Algorithm* algorithm : host_algorithms()) {
    const Schedule schedule = example(*algorithm, served_ranks(*algorithm, 5));
    std::size_t ends = 0;
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      const RankPlan plan = plan_of(schedule, rank);
      ends += plan.size();
      for (const RankPlan::Entry& entry : plan.entries) {
        const Op& op = schedule.op(entry.id);
        CAPTURE(algorithm->full_name(), rank, entry.id);
        REQUIRE(op.touches(rank));
        if (op.is_comm()) {
          CHECK((entry.role == Role::send) == (op.src() == rank));
          CHECK(entry.peer == (op.src() == rank ? op.dst() : op.src()));
        }
        // A dependency on an operation that this rank does not know belongs to the plan of the
        // other rank.
        std::uint32_t known = 0;
        for (const OpId before : schedule.predecessors(entry.id)) {
          known += schedule.op(before).touches(rank) ? 1 : 0;
        }
        CHECK(entry.waits_for == known);
      }
    }
    CHECK(ends == schedule.size() + schedule.messages());
  }
}

TEST_CASE("Messages match their own counterparts, however few tags there are") {
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {2U, 3U, 8U}) {
      if (refuses(*algorithm, problem_of(*algorithm, ranks, 10 * ranks))) {
        continue;
      }
      for (const std::uint64_t tags : {1U, 2U, 3U, 1000U}) {
        CAPTURE(algorithm->full_name(), ranks, tags);
        CHECK(wrong_matches(example(*algorithm, ranks), tags) == 0);
      }
    }
  }
}

TEST_CASE(
    "Tags stay below the limit, and messages of a pair get different tags while enough exist") {
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/ring"), problem_of(Collective::allreduce, 4, 40));
  std::set<int> seen;
  for (const RankPlan::Entry& entry : plan_of(schedule, 1).entries) {
    if (entry.role == Role::send) {
      seen.insert(entry.tag);
    }
  }
  CHECK(seen == std::set<int>{0, 1, 2, 3, 4, 5});  // 2(p-1) messages to the right neighbour
  for (const RankPlan::Entry& entry : plan_of(schedule, 1, 2).entries) {
    CHECK(entry.tag < 2);
  }
  CHECK_THROWS(plan_of(schedule, 1, 0));
}

}  // namespace tutti::mpi
