// Tests the cache that passes schedules from one run to later runs of the same shape.
#include "src/simulation/schedule_cache.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "schedules/registry.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/run_result.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_schedule_cache {

namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 30U;

const Algorithm& bruck() { return algorithm_named("alltoall/bruck"); }
Problem of_elements(std::uint64_t elements) {
  return problem_of(Collective::alltoall, 12, elements);
}

// Returns the address of the schedule's operations. If it is the same for two runs, the second run
// used the schedule of the first.
const Op* place_of(const Schedule& schedule) { return schedule.ops().data(); }

Machine machine_of(const Problem& problem) {
  Machine machine;
  machine.engine = &engine_named("flow");
  machine.spec.symmetry = SymmetryUse::off;
  machine.mapping.ranks = machine.spec.source.crossbar.hosts = problem.ranks;
  return machine;
}

}  // namespace

TEST_CASE("the cache passes a returned schedule on to the next run of its shape") {
  ScheduleCache cache(kPlenty);
  ScheduleCache::Place* at = nullptr;
  for (const std::uint64_t elements : {100U, 3U, 1000U}) {
    at = cache.expect(bruck(), of_elements(elements));
  }
  Schedule first = cache.take(at, bruck(), of_elements(100), Detail::times_only);
  const Op* const place = place_of(first);
  const std::size_t bytes = first.memory_bytes();
  cache.give_back(at, std::move(first));
  cache.finish(at);
  CHECK(cache.memory_bytes() == bytes);

  Schedule second = cache.take(at, bruck(), of_elements(3), Detail::times_only);
  CHECK(place_of(second) == place);
  CHECK(std::ranges::equal(second.ops(), make_schedule(bruck(), of_elements(3)).ops()));
  CHECK(second.problem() == of_elements(3));
  CHECK(cache.memory_bytes() == 0);

  // The third run begins before the second has ended, so it gets its own schedule. The schedule of
  // the last run is not kept.
  Schedule third = cache.take(at, bruck(), of_elements(1000), Detail::times_only);
  CHECK(place_of(third) != place);
  cache.give_back(at, std::move(second));
  CHECK(cache.memory_bytes() == bytes);
  cache.finish(at);
  cache.give_back(at, std::move(third));
  cache.finish(at);
  CHECK(cache.memory_bytes() == 0);
}

TEST_CASE(
    "the cache does not keep schedules that are used once, that differ, or that are too large") {
  const auto kept = [](std::size_t most_bytes, const Algorithm& algorithm, const Problem& problem,
                       const Problem& other) {
    ScheduleCache cache(most_bytes);
    ScheduleCache::Place* const at = cache.expect(algorithm, problem);
    (void)cache.expect(algorithm, other);
    cache.give_back(at, cache.take(at, algorithm, problem, Detail::times_only));
    return cache.memory_bytes() > 0;
  };
  const Problem problem = of_elements(100);
  CHECK(kept(kPlenty, bruck(), problem, of_elements(8)));
  CHECK_FALSE(kept(0, bruck(), problem, of_elements(8)));

  Problem other = problem;
  other.ranks = 13;
  CHECK_FALSE(kept(kPlenty, bruck(), problem, other));
  const Algorithm& circulant = algorithm_named("alltoall/circulant");
  other = problem;
  other.skips = parse_skips("linear");
  CHECK_FALSE(kept(kPlenty, circulant, problem, other));

  const Problem cut = problem_of(Collective::bcast, 12, 100);
  CHECK_FALSE(
      kept(kPlenty, algorithm_named("bcast/pipeline"), cut, problem_of(Collective::bcast, 12, 1)));
}

TEST_CASE("the only run of a shape gets payload only on request") {
  ScheduleCache cache(kPlenty);
  ScheduleCache::Place* const at = cache.expect(bruck(), of_elements(100));
  CHECK_FALSE(cache.take(at, bruck(), of_elements(100), Detail::times_only).has_payload());
  CHECK(cache.take(at, bruck(), of_elements(100), Detail::payload).has_payload());
}

TEST_CASE("a schedule that may be too large for the cache is made without payload") {
  for (const std::size_t most_bytes : {kPlenty, std::size_t{100000}}) {
    ScheduleCache cache(most_bytes);
    ScheduleCache::Place* const at = cache.expect(bruck(), of_elements(100));
    (void)cache.expect(bruck(), of_elements(8));
    const Schedule schedule = cache.take(at, bruck(), of_elements(100), Detail::times_only);
    CHECK(schedule.memory_bytes() < 100000);
    CHECK(schedule.has_payload() == (most_bytes == kPlenty));
  }
}

TEST_CASE("the memory of the cache stays below its bound") {
  constexpr std::size_t kMost = 200000;
  ScheduleCache cache(kMost);
  const Algorithm& linear = algorithm_named("alltoall/linear");
  std::size_t one = 0;
  for (std::uint32_t element_bytes = 1; element_bytes <= 40; ++element_bytes) {
    Problem problem;
    problem.collective = Collective::alltoall;
    problem.ranks = 12;
    problem.bytes = problem.element_bytes = element_bytes;
    (void)cache.expect(linear, problem);
    ScheduleCache::Place* const at = cache.expect(linear, problem);
    Schedule schedule = cache.take(at, linear, problem, Detail::times_only);
    one = schedule.memory_bytes();
    cache.give_back(at, std::move(schedule));
    CHECK(cache.memory_bytes() <= kMost);
  }
  CHECK(cache.memory_bytes() + one > kMost);
}

TEST_CASE("a run with a cached schedule gives the same result as a run without the cache") {
  const std::vector<std::uint64_t> sizes{0, 1, 11, 13, 1000, 120000};
  for (const Algorithm* algorithm : host_algorithms()) {
    ScheduleCache cache(kPlenty);
    ScheduleCache::Place* at = nullptr;
    std::vector<Problem> problems;
    for (const std::uint64_t elements : sizes) {
      Problem problem = problem_of(algorithm->collective, 16, elements);
      if (algorithm->collective != Collective::barrier && !refuses(*algorithm, problem)) {
        at = cache.expect(*algorithm, problem);
        problems.push_back(std::move(problem));
      }
    }
    for (const Problem& problem : problems) {
      INFO(algorithm->full_name() << " of " << problem.bytes << " bytes");
      const Machine machine = machine_of(problem);
      const RunResult with =
          simulate_times(*algorithm, problem, machine, engine_of(machine), cache, at);
      cache.finish(at);
      const RunResult without = simulate(*algorithm, problem, machine, Detail::times_only).result;
      CHECK(with.simulated_s == without.simulated_s);
      CHECK(with.longest_path_s == without.longest_path_s);
      CHECK(with.ops == without.ops);
      CHECK(with.dependencies == without.dependencies);
      CHECK(with.messages == without.messages);
      CHECK(with.bytes_sent == without.bytes_sent);
      CHECK(with.bytes_reduced == without.bytes_reduced);
      CHECK(with.rounds == without.rounds);
      CHECK(with.smallest_block_bytes == without.smallest_block_bytes);
      CHECK(with.largest_block_bytes == without.largest_block_bytes);
      CHECK(with.chain.steps == without.chain.steps);
    }
    CHECK(cache.memory_bytes() == 0);
  }
}

TEST_CASE("a cache that does not know later runs keeps what the last run used") {
  ScheduleCache cache(kPlenty);
  const auto run = [&](const Algorithm& algorithm, const Problem& problem) {
    ScheduleCache::Place* const at = cache.expect_more_like(algorithm, problem);
    Schedule schedule = cache.take(at, algorithm, problem, Detail::times_only);
    const Op* const place = place_of(schedule);
    cache.give_back(at, std::move(schedule));
    return place;
  };
  const Op* const place = run(bruck(), of_elements(100));
  CHECK(run(bruck(), of_elements(1)) == place);
  CHECK(cache.memory_bytes() == make_schedule(bruck(), of_elements(1)).memory_bytes());

  const Algorithm& linear = algorithm_named("alltoall/linear");
  (void)run(linear, of_elements(100));
  CHECK(cache.memory_bytes() == make_schedule(linear, of_elements(100)).memory_bytes());
  (void)run(algorithm_named("bcast/pipeline"), problem_of(Collective::bcast, 12, 100));
  CHECK(cache.memory_bytes() == 0);
}

}  // namespace tutti::test_schedule_cache
