// All families: every schedule that they propose, and every neighbour, is right.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "schedules/verify/verify.hpp"
#include "src/search/search.hpp"
#include "src/simulation/engine_run.hpp"
#include "tests/src/search/goals.hpp"

using namespace tutti;

namespace {

constexpr std::uint64_t kSeed = 7;

std::vector<std::unique_ptr<Family>> all_families(const Goal& goal) {
  std::vector<std::unique_ptr<Family>> made;
  made.push_back(options_family(goal));
  made.push_back(skips_family(goal));
  made.push_back(order_family(goal));
  made.push_back(phases_family(goal));
  made.push_back(matching_family(goal));
  made.push_back(trees_family(goal));
  return made;
}

// Returns the number of schedules that could be made; all of them must be proved, and must have the
// same operations without payload.
std::size_t check_all(const Goal& goal) {
  std::size_t made = 0;
  for (const auto& family : all_families(goal)) {
    SearchRandom random(kSeed);
    Drafts drafts = family->propose(random);
    const std::size_t proposed = drafts.size();
    for (std::size_t i = 0; i < proposed && i < 60; ++i) {
      drafts.push_back(drafts[i]->neighbour(random));
      drafts.push_back(drafts.back()->neighbour(random));
    }
    for (const auto& draft : drafts) {
      std::optional<Schedule> schedule;
      try {
        schedule = draft->schedule(Detail::payload);
      } catch (const UserError&) {
        continue;  // the parts would be unequal
      }
      CAPTURE(family->name(), draft->in_words(), goal.problem.ranks);
      const Verdict verdict = verify(*schedule);
      CHECK(verdict.proved());
      const Schedule timed = draft->schedule(Detail::times_only);
      CHECK(timed.size() == schedule->size());
      CHECK(timed.bytes_sent() == schedule->bytes_sent());
      CHECK(timed.dependencies() == schedule->dependencies());
      ++made;
    }
  }
  return made;
}

}  // namespace

TEST_CASE("every schedule of every family is right") {
  for (const Collective collective :
       {Collective::allreduce, Collective::allgather, Collective::reduce_scatter, Collective::bcast,
        Collective::reduce, Collective::alltoall}) {
    for (const std::uint32_t ranks : {2U, 5U, 8U}) {
      const TestGoal on_crossbar("", collective, ranks, 2048);
      CHECK(check_all(on_crossbar.goal) > 20);
    }
    const TestGoal on_torus("torus_64.xml", collective, 27, 27 * 512);
    CHECK(check_all(on_torus.goal) > 20);
    const TestGoal on_tree("infiniband_hdr_128_thin.xml", collective, 12, 9216, kUnlimitedPorts);
    CHECK(check_all(on_tree.goal) > 20);
  }
}

TEST_CASE("the search finds the same schedule again, with any number of threads") {
  const TestGoal test("torus_64.xml", Collective::alltoall, 16, 1 << 20U);
  const auto run = [&](std::uint64_t seed, std::size_t jobs) {
    SearchAsked asked;
    asked.seed = seed;
    asked.jobs = jobs;
    asked.most_s = 1e9;
    asked.most_evaluations = 200;
    asked.best_known_s = 1;
    std::vector<double> finds;
    const SearchResult result = search_schedules(
        test.goal, all_families(test.goal), asked,
        [&](const Find& find) { finds.push_back(find.seconds); },
        [](std::uint64_t) { return true; });
    CHECK(result.evaluations == 200);
    REQUIRE(result.best.has_value());
    CHECK(finds.back() == result.best->seconds);
    CHECK(std::ranges::is_sorted(finds, std::greater<>()));
    finds.push_back(static_cast<double>(result.best->evaluation));
    return finds;
  };
  const std::vector<double> once = run(1, 1);
  CHECK(run(1, 1) == once);
  CHECK(run(1, 3) == once);
  CHECK(run(2, 1) != once);
}

TEST_CASE("the search ends at the limit, and when it is told to") {
  const TestGoal test("", Collective::allgather, 8, 8192);
  SearchAsked asked;
  asked.best_known_s = 1;
  asked.bound_s = 1;
  const auto run = [&](auto&& proceed) {
    return search_schedules(
               test.goal, all_families(test.goal), asked, [](const Find&) {}, proceed)
        .evaluations;
  };
  CHECK(run([](std::uint64_t) { return true; }) == 0);
  asked.bound_s = 0;
  CHECK(run([](std::uint64_t evaluations) { return evaluations < 32; }) == 32);
}
