// All families: every schedule that they propose, and every neighbour, is right.
#include <catch2/catch.hpp>

#include <atomic>

#include "base/error.hpp"
#include "schedules/scaled_layout.hpp"
#include "schedules/verify/verify.hpp"
#include "src/search/least_times.hpp"
#include "src/search/robustness.hpp"
#include "src/search/search.hpp"
#include "src/search/size_set.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/run_result.hpp"
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
  made.push_back(nodes_family(goal));
  return made;
}

// Returns the number of schedules that could be made; all of them must be proved, and must have the
// same operations without payload.
std::size_t check_all(const Goal& goal) {
  std::size_t made = 0;
  const LeastTimes least_times(goal);
  for (const auto& family : all_families(goal)) {
    SearchRandom random(kSeed);
    Drafts drafts = family->propose(random);
    const std::size_t proposed = drafts.size();
    for (std::size_t i = 0; i < proposed && i < 40; ++i) {
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
      const double seconds = run_engine(timed, *goal.machine).timeline.total_s;
      CHECK(least_times.of(timed) <= seconds);
      if (const auto known = draft->known_case()) {
        CHECK(simulate(*known->algorithm, known->problem, *goal.machine, Detail::times_only)
                  .result.simulated_s == Approx(seconds).epsilon(1e-9));
      }
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
    // Messages on one host share nothing.
    const TestGoal on_nodes("smp_32x32.xml", collective, 4, 512, kUnlimitedPorts, 4);
    CHECK(check_all(on_nodes.goal) > 15);
  }
}

TEST_CASE("the least time of a schedule is that of its busiest link or rank") {
  const auto seconds = [](const std::string& platform, std::uint32_t ports, std::uint32_t ranks) {
    const TestGoal test(platform, Collective::alltoall, ranks, std::uint64_t{ranks} << 20U, ports);
    const Schedule schedule =
        make_schedule(algorithm_named("alltoall/linear"), test.goal.problem, Detail::times_only);
    return LeastTimes(test.goal).of(schedule);
  };
  // The default network has 10 Gb/s and 2 us.
  CHECK(seconds("", 1, 8) == Approx(7 * (2e-6 + 1048576 / 1.25e9)).epsilon(1e-5));
  CHECK(seconds("", 2, 8) == Approx(7 * 1048576 / 1.25e9).epsilon(1e-5));
  // Half of the torus sends to the other half, over 2 x 16 links: 16 MiB each of 5 GB/s.
  CHECK(seconds("torus_64.xml", 1, 64) > 0.99 * 63 * 1048576 / 5e9);
}

TEST_CASE("a schedule that cannot be faster than the best is not simulated") {
  const TestGoal test("torus_64.xml", Collective::alltoall, 16, 1 << 20U);
  SearchBudget budget;
  budget.most_s = 1e9;
  budget.most_evaluations = 100;
  budget.best_known_s = 1e-9;
  const SearchResult result = search_schedules(
      test.goal, all_families(test.goal), budget, [](const Find&) {}, [] { return true; });
  CHECK(result.bounded > 50);
  CHECK(!result.best.has_value());
  budget.best_known_s = 1;
  CHECK(search_schedules(
            test.goal, all_families(test.goal), budget, [](const Find&) {}, [] { return true; })
            .bounded < 50);
}

TEST_CASE("the search finds the same schedule again, with any number of threads") {
  const TestGoal test("torus_64.xml", Collective::alltoall, 16, 1 << 20U);
  const auto run = [&](std::uint64_t seed, std::size_t jobs) {
    SearchBudget budget;
    budget.seed = seed;
    budget.jobs = jobs;
    budget.most_s = 1e9;
    budget.most_evaluations = 200;
    budget.best_known_s = 1;
    std::vector<double> finds;
    const SearchResult result = search_schedules(
        test.goal, all_families(test.goal), budget,
        [&](const Find& find) { finds.push_back(find.seconds); }, [] { return true; });
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

TEST_CASE("cores that talk to different nodes, and censuses, are found as schedules of a family") {
  const auto best_s = [](const std::string& platform, Collective collective, std::uint32_t ranks,
                         std::uint64_t bytes, std::uint32_t ranks_per_host) {
    TestGoal test(platform, collective, ranks, bytes, 1, ranks_per_host);
    test.goal.problem.bytes = bytes;
    SearchBudget budget;
    budget.most_s = 1e9;
    budget.most_evaluations = 400;
    budget.best_known_s = 1;
    std::vector<std::unique_ptr<Family>> families;
    families.push_back(nodes_family(test.goal));
    const SearchResult result = search_schedules(
        test.goal, families, budget, [](const Find&) {}, [] { return true; });
    REQUIRE(result.best.has_value());
    return result.best->seconds;
  };
  // Three rounds of 2 us, where recursive doubling needs four.
  CHECK(best_s("", Collective::allreduce, 7, 224, 1) < 6.8e-6);
  // One message of 10 us between nodes, where other algorithms need three.
  CHECK(best_s("smp_16x8.xml", Collective::allreduce, 64, 512, 8) < 20e-6);
  CHECK(best_s("smp_16x8.xml", Collective::bcast, 64, 512, 8) < 20e-6);
  CHECK(best_s("smp_16x8.xml", Collective::allgather, 64, 32768, 8) < 60e-6);
}

TEST_CASE("options that an algorithm refuses are not tried") {
  const TestGoal test("infiniband_hdr_128_thin.xml", Collective::allgather, 7, 56);
  SearchBudget budget;
  budget.most_s = 1e9;
  budget.most_evaluations = 500;
  budget.best_known_s = 1;
  std::vector<std::unique_ptr<Family>> families;
  families.push_back(options_family(test.goal));
  const SearchResult result = search_schedules(
      test.goal, families, budget, [](const Find&) {}, [] { return true; });
  CHECK(result.evaluations == 500);
}

TEST_CASE("the search ends at the limit, and when it is told to") {
  const TestGoal test("", Collective::allgather, 8, 8192);
  SearchBudget budget;
  budget.best_known_s = 1;
  budget.bound_s = 1;
  const auto run = [&](auto&& proceed) {
    return search_schedules(
               test.goal, all_families(test.goal), budget, [](const Find&) {}, proceed)
        .evaluations;
  };
  CHECK(run([] { return true; }) == 0);
  budget.bound_s = 0;
  CHECK(run([calls = std::make_shared<std::atomic<int>>(0)] { return ++*calls <= 20; }) < 20);
}

TEST_CASE("few finds are kept, as long as each size has one that is nearly the best") {
  using Times = std::vector<std::vector<std::optional<double>>>;
  const auto chosen = [](const Times& found_s, const std::vector<double>& known_s) {
    std::vector<int> finds;
    for (const SizeChoice& choice : choose_finds(found_s, known_s)) {
      finds.push_back(choice.find ? static_cast<int>(*choice.find) : -1);
    }
    return finds;
  };
  // The second find is nearly as good as the first where the first is best.
  CHECK(chosen({{1.0, 2.0}, {1.005, 1.0}}, {2, 2}) == std::vector{1, 1});
  CHECK(chosen({{1.0, 2.0}, {1.02, 1.0}}, {2, 2}) == std::vector{0, 1});
  CHECK(chosen({{1.0, std::nullopt}, {std::nullopt, std::nullopt}}, {2, 2}) == std::vector{0, -1});
  CHECK(chosen({{1.0, 2.0}}, {1.005, 2}) == std::vector{-1, -1});
}

TEST_CASE("a find is timed at other sizes, unless it is wrong there") {
  const TestGoal test("torus_64.xml", Collective::allgather, 8, 8192);
  const Algorithm& ring = algorithm_named("allgather/ring");
  const Problem larger = even_problem(Collective::allgather, 8, 65536);
  const auto seconds = time_at(make_schedule(ring, test.goal.problem), larger, test.machine);
  REQUIRE(seconds.has_value());
  CHECK(*seconds ==
        time_over_ties(make_schedule(ring, larger, Detail::times_only), test.machine).seconds);
  // Empty blocks stay empty.
  const TestGoal on_torus("torus_64.xml", Collective::alltoall, 16, 1 << 20U);
  SearchRandom random(kSeed);
  const auto family = phases_family(on_torus.goal);
  const Problem smaller = even_problem(Collective::alltoall, 16, 1 << 16U);
  std::size_t with_empty_blocks = 0;
  for (const auto& draft : family->propose(random)) {
    Schedule schedule = draft->schedule(Detail::payload);
    const BlockScale scale = block_scale(schedule.layout(), schedule.problem());
    with_empty_blocks += scale.kind == BlockScale::Kind::equal ? 1 : 0;
    const auto smaller_s = time_at(std::move(schedule), smaller, on_torus.machine);
    CHECK(smaller_s.has_value());
  }
  CHECK(with_empty_blocks > 0);
}
