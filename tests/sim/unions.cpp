// Checks the times of unions against those of their parts.
#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

#include "schedules/schedule_union.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_unions {
namespace {

Timeline run(const Schedule& schedule, double gamma_s_per_byte) {
  Crossbar crossbar;
  crossbar.hosts = schedule.ranks();
  crossbar.latency_s = 1.3e-6;
  crossbar.bandwidth_bytes_per_s = 1.1e9;
  crossbar.speed_flops_per_s = 1e9;
  CrossbarNetwork network(crossbar);
  FlowSetup setup;
  setup.copy_s_per_byte = kUnionCopy_s_per_byte;
  setup.flops_per_byte = gamma_s_per_byte * crossbar.speed_flops_per_s;
  setup.host_of_rank.resize(schedule.ranks());
  std::iota(setup.host_of_rank.begin(), setup.host_of_rank.end(), 0U);
  return FlowEngine(network, setup).run(schedule, {kUnlimitedPorts});
}

UnionPart part_of(const char* algorithm, std::uint32_t ranks) {
  const Algorithm& named = algorithm_named(algorithm);
  return UnionPart(
      make_schedule(named, problem_of(named.collective, ranks, 40'000), Detail::times_only));
}

// Returns the time of a calculation of 1 ms on rank 0 beside a reduction over 2 ranks.
double beside_s(double gamma_s_per_byte) {
  const UnionPart part = part_of("allreduce/ring", 2);
  ScheduleUnion made(2);
  made.calculate(0, 1'000'000'000, kNoOp);
  std::vector<OpId> at(2, kNoOp);
  made.append(part, std::vector<Rank>{0, 1}, at);
  const Schedule schedule = made.finish();
  return run(schedule, gamma_s_per_byte).end_s[at[0]];
}

}  // namespace

TEST_CASE("two parts without a common link take exactly their times alone") {
  const UnionPart first = part_of("allreduce/ring", 4);
  const UnionPart second = part_of("alltoall/linear", 4);
  const auto times_of = [&](bool with_first, bool with_second) {
    ScheduleUnion made(8);
    std::vector<OpId> at(4, kNoOp);
    const OpRange a =
        with_first ? made.append(first, std::vector<Rank>{0, 2, 4, 6}, at) : OpRange{};
    at.assign(4, kNoOp);
    const OpRange b =
        with_second ? made.append(second, std::vector<Rank>{7, 5, 3, 1}, at) : OpRange{};
    const Timeline timeline = run(made.finish(), 1e-10);
    std::vector<std::vector<double>> ends;
    for (const OpRange& range : {a, b}) {
      ends.emplace_back(timeline.end_s.begin() + range.begin, timeline.end_s.begin() + range.end);
    }
    return ends;
  };
  const auto together = times_of(true, true);
  CHECK(together[0] == times_of(true, false)[0]);
  CHECK(together[1] == times_of(false, true)[1]);
}

TEST_CASE("a reduction waits for the core that calculates, unless it takes no time") {
  CHECK(beside_s(1e-10) > 1e-3);
  CHECK(beside_s(0) < 1e-3);
}

}  // namespace tutti::test_unions
