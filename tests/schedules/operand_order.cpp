// Tests whether algorithms combine the inputs in rank order, as operators that do not commute
// require, at every rank that gets a result.
#include <catch2/catch.hpp>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/string_replay.hpp"

namespace tutti::test_operand_order {

namespace {

std::string in_rank_order(std::uint32_t ranks) {
  std::string text = "0";
  for (Rank rank = 1; rank < ranks; ++rank) {
    text += "." + std::to_string(rank);
  }
  return text;
}

// Returns true if, at every rank that gets a result, the inputs are combined in rank order.
bool combines_in_rank_order(const Schedule& schedule) {
  StringReplay replay(
      schedule, [](Rank rank, std::uint32_t) { return std::to_string(rank); }, ".");
  replay.run();
  const Contract contract(schedule.problem().collective, schedule.ranks(), schedule.blocks(),
                          schedule.problem().root);
  const std::string wanted = in_rank_order(schedule.ranks());
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
      const Demand demand = contract.demand(rank, block);
      if ((demand.kind == Demand::Kind::sum && replay.work(rank, block) != wanted) ||
          (demand.kind == Demand::Kind::prefix &&
           replay.work(rank, block) != in_rank_order(demand.origin + 1))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

TEST_CASE("algorithms that promise rank order combine in rank order") {
  for (const Algorithm* algorithm : algorithms()) {
    if (!reduces(algorithm->collective) || algorithm->keeps_order == nullptr) {
      continue;
    }
    for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
      for (const Rank root : roots(algorithm->collective, ranks)) {
        const Problem base = problem_of(algorithm->collective, ranks, 1000, root);
        for (const Problem& problem : option_variants(*algorithm, base)) {
          if ((algorithm->refusal != nullptr && algorithm->refusal(problem)) ||
              !algorithm->keeps_order(problem)) {
            continue;
          }
          INFO(algorithm->full_name() << " p=" << ranks << " root=" << root);
          CHECK(combines_in_rank_order(make_schedule(*algorithm, problem)));
        }
      }
    }
  }
}

TEST_CASE("recursive doubling keeps the order, with a far fold only for powers of two") {
  const Algorithm& doubling = algorithm_named("allreduce/recursive_doubling");
  for (std::uint32_t ranks = 1; ranks <= 33; ++ranks) {
    Problem problem = problem_of(Collective::allreduce, ranks, 1);
    INFO("p=" << ranks);
    CHECK(doubling.keeps_order(problem));
    CHECK(combines_in_rank_order(make_schedule(doubling, problem)));
    problem.fold = Fold::far;
    const bool power_of_two = (ranks & (ranks - 1)) == 0;
    CHECK(doubling.keeps_order(problem) == power_of_two);
    CHECK(combines_in_rank_order(make_schedule(doubling, problem)) == power_of_two);
  }
}

TEST_CASE("the ring does not keep the order, and does not claim to") {
  const Algorithm& ring = algorithm_named("allreduce/ring");
  CHECK(ring.keeps_order == nullptr);
  CHECK_FALSE(combines_in_rank_order(make_schedule(ring, problem_of(Collective::allreduce, 5, 5))));
}

}  // namespace tutti::test_operand_order
