// Memory of a large run, as the system counts it. Each test case is a process of its own in ctest.
#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/problems.hpp"

using namespace tutti;

TEST_CASE("a ring of 1024 ranks, its schedule and its run, take less than 600 MB") {
  const Schedule schedule = make_schedule(algorithm_named("allreduce/ring"),
                                          problem_of(Collective::allreduce, 1024, 1024));
  CHECK(schedule.size() == 3 * 1024 * 1023);
  CHECK(schedule.has_payload());
  CHECK(schedule.memory_bytes() <=
        48 * std::size_t{schedule.size()} + 8 * schedule.dependencies() + 8);
  CHECK(schedule.memory_bytes() < std::size_t{220} << 20U);
  CHECK(CriticalPathEngine({1e-6, 1e-9, 1e-10, 0}).run(schedule, {}).total_s > 0);
#ifndef __SANITIZE_ADDRESS__
  rusage usage{};
  REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
  CHECK(usage.ru_maxrss < 600 * 1000);  // KiB
#endif
}
