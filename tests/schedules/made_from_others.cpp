// Schedules that are made from others: with other ranks, or side by side.
#include <catch2/catch.hpp>

#include <numeric>
#include <random>

#include "base/error.hpp"
#include "schedules/permuted.hpp"
#include "schedules/registry.hpp"
#include "schedules/side_by_side.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

using namespace tutti;

namespace {

constexpr std::uint32_t kSeed = 20261127;

std::vector<Rank> random_order(std::uint32_t ranks, std::mt19937& random) {
  std::vector<Rank> order(ranks);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

bool is_proved(const Schedule& schedule) { return verify(schedule).proved(); }

}  // namespace

TEST_CASE("every algorithm is right with its ranks in any order") {
  std::mt19937 random(kSeed);
  for (const Algorithm* algorithm : host_algorithms()) {
    if (algorithm->collective == Collective::alltoallv) {
      continue;
    }
    for (const std::uint32_t ranks : {1U, 2U, 3U, 5U, 8U, 12U}) {
      for (const Rank root : roots(algorithm->collective, ranks)) {
        const Problem problem = even_problem(algorithm->collective, ranks, 4096, root);
        if (refuses(*algorithm, problem)) {
          continue;
        }
        const Schedule schedule = make_schedule(*algorithm, problem);
        // A scan follows the numbers of the ranks.
        const bool by_number = algorithm->collective == Collective::scan ||
                               algorithm->collective == Collective::exscan;
        if (!schedule.layout().uniform() || by_number) {
          continue;
        }
        CAPTURE(algorithm->full_name(), ranks, root);
        const std::vector<Rank> order = random_order(ranks, random);
        const Schedule changed = permuted(schedule, order);
        CHECK(changed.problem().root == (has_root(algorithm->collective) ? order[root] : 0));
        CHECK(is_proved(changed));
        CHECK(changed.bytes_sent() == schedule.bytes_sent());
      }
    }
  }
}

TEST_CASE("ranks with blocks of different sizes do not change places") {
  const Algorithm& ring = algorithm_named("allgather/ring");
  const Schedule schedule = make_schedule(ring, problem_of(ring, 3, 10));
  const std::vector<Rank> order{1, 2, 0};
  CHECK_THROWS_AS(permuted(schedule, order), UserError);
}

TEST_CASE("schedules side by side are right if each is") {
  std::mt19937 random(kSeed);
  for (const Collective collective :
       {Collective::allreduce, Collective::bcast, Collective::reduce, Collective::reduce_scatter,
        Collective::allgather, Collective::alltoall, Collective::gather, Collective::scatter}) {
    std::vector<const Algorithm*> all = host_algorithms();
    std::erase_if(all, [&](const Algorithm* each) { return each->collective != collective; });
    for (const std::uint32_t ranks : {2U, 3U, 6U, 8U}) {
      const Problem part = even_problem(collective, ranks, 2048, ranks - 1);
      std::vector<Schedule> parts;
      for (const Algorithm* algorithm : all) {
        Problem problem = part;
        problem.root = has_root(collective) ? ranks - 1 : 0;
        if (!refuses(*algorithm, problem)) {
          Schedule made = make_schedule(*algorithm, problem);
          if (made.layout().uniform()) {
            parts.push_back(std::move(made));
          }
        }
      }
      CAPTURE(name(collective), ranks, parts.size());
      REQUIRE(parts.size() > 1);
      Problem whole = part;
      whole.root = has_root(collective) ? ranks - 1 : 0;
      whole.bytes = part.bytes * parts.size();
      std::uint64_t sent = 0;
      for (const Schedule& each : parts) {
        sent += each.bytes_sent();
      }
      const Schedule all_of_them = side_by_side(whole, parts);
      CHECK(all_of_them.layout().bytes() == whole.bytes);
      CHECK(all_of_them.bytes_sent() == sent);
      CHECK(is_proved(all_of_them));
    }
  }
}
