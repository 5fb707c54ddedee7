// Tests the peak memory of a large run, as the system measures it for the process. ctest runs each
// test case in its own process.
#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/sanitized.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_memory {

namespace {

std::size_t peak_rss_bytes() {
  rusage usage{};
  REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

TEST_CASE("a ring of 1024 ranks, its schedule and its run, take less than 600 MB") {
  const Schedule schedule = make_schedule(algorithm_named("allreduce/ring"),
                                          problem_of(Collective::allreduce, 1024, 1024));
  CHECK(schedule.size() == 3 * 1024 * 1023);
  CHECK(schedule.has_payload());
  CHECK(schedule.memory_bytes() <=
        48 * std::size_t{schedule.size()} + 8 * schedule.dependencies() + 8);
  CHECK(schedule.memory_bytes() < std::size_t{220} << 20U);
  CHECK(CriticalPathEngine({1e-6, 1e-9, 1e-10, 0}).run(schedule, {}).total_s > 0);
  CHECK((kSanitized || peak_rss_bytes() < std::size_t{600} * 1000 * 1024));
}

TEST_CASE("a million messages under way take 64 bytes each, schedule and times included") {
  constexpr std::uint32_t kRanks = 1024;
  const std::size_t before_bytes = peak_rss_bytes();
  const Schedule schedule =
      make_schedule(algorithm_named("alltoall/linear"),
                    problem_of(Collective::alltoall, kRanks, 1 << 20), Detail::times_only);
  Crossbar crossbar;
  crossbar.hosts = kRanks;
  CrossbarNetwork network(crossbar);
  FlowSetup setup;
  for (Rank rank = 0; rank < kRanks; ++rank) {
    setup.host_of_rank.push_back(rank);
  }
  const Timeline timeline = FlowEngine(network, setup).run(schedule, {kUnlimitedPorts});
  CHECK(timeline.end_s[0] <= timeline.total_s);
  CHECK(CriticalPathEngine({1e-6, 1e-9, 1e-10, 0}).run_total(schedule, {kUnlimitedPorts}).total_s >
        0);
  const std::size_t taken_bytes = peak_rss_bytes() - before_bytes;
  CHECK((kSanitized ||
         taken_bytes <= 64 * std::size_t{schedule.size()} + 8 * schedule.dependencies()));
}

}  // namespace tutti::test_memory
