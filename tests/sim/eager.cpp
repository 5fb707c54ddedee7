// Tests eager messages. The sender of an eager message may continue early; the receiver must wait
// until the message arrives.
#include <catch2/catch.hpp>

#include <functional>

#include "schedules/builder.hpp"
#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_eager {
namespace {

// alpha is 1 s; beta, gamma and the price of a copy are 1 s per byte.
constexpr Prices kPrices{1, 1, 1, 1};

Timeline run(const Schedule& schedule, std::int64_t eager_bytes, std::uint32_t ports = 1) {
  RunSetup setup;
  setup.ports = ports;
  setup.eager_bytes = eager_bytes;
  Timeline timeline = CriticalPathEngine(kPrices).run(schedule, setup);
  if (ports != 1) {
    return timeline;
  }
  // With one port, no two messages share a link of a crossbar at the same time, so the flow engine
  // must compute the same times as the critical-path engine.
  Crossbar crossbar;
  crossbar.hosts = schedule.ranks();
  crossbar.latency_s = 1;
  crossbar.bandwidth_bytes_per_s = 1;
  crossbar.speed_flops_per_s = 1;
  CrossbarNetwork network(crossbar);
  FlowSetup flow_setup;
  flow_setup.flops_per_byte = 1;
  flow_setup.copy_s_per_byte = 1;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    flow_setup.host_of_rank.push_back(rank);
  }
  const Timeline flow = FlowEngine(network, flow_setup).run(schedule, setup);
  for (OpId id = 0; id < schedule.size(); ++id) {
    CAPTURE(id);
    CHECK(flow.start_s[id] == Approx(timeline.start_s[id]));
    CHECK(flow.end_s[id] == Approx(timeline.end_s[id]));
  }
  return timeline;
}

// Rank 0 sends 8 bytes to rank 1 and then reduces 8 bytes. Rank 1 reduces for 24 s before it
// receives the message, and then sends 8 bytes to rank 2.
Schedule example() {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 3), 3);
  const Move one{.blocks = {0, 1}};
  const OpId busy = builder.reduce({0, 0}, 1, {.blocks = {0, 3}, .from = kInput, .into = kWork},
                                   Operand::left, {});
  const OpId message = builder.comm({1, 0}, 0, 1, one, std::vector<OpId>{busy});
  builder.reduce({2, 0}, 0, {.blocks = {1, 1}, .from = kInput, .into = kWork}, Operand::left,
                 std::vector<OpId>{message});
  builder.comm({2, 0}, 1, 2, one, std::vector<OpId>{message});
  return builder.finish();
}

}  // namespace

TEST_CASE("A message that is not eager waits for its receiver, and its sender waits for its end") {
  Timeline timeline = run(example(), -1);
  CHECK(timeline.start_s[1] == 24);
  CHECK(timeline.end_s[1] == 33);
  CHECK(timeline.start_s[2] == 33);
  CHECK(timeline.end_s[3] == 42);
  CHECK(run(example(), 7).start_s[1] == 24);  // 8 bytes are above the eager limit
}

TEST_CASE("An eager message leaves at once, its sender goes on, and it ends when it is received") {
  Timeline timeline = run(example(), 8);
  CHECK(timeline.start_s[1] == 0);
  CHECK(timeline.start_s[2] == 0);
  CHECK(timeline.end_s[1] == 24);  // the message arrives at 9 s; its receiver is ready at 24 s
  CHECK(timeline.start_s[3] == 24);
  CHECK(timeline.total_s == 33);
}

TEST_CASE("Eager messages of one sender still leave one after the other") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 1), 1);
  builder.comm({0, 0}, 0, 1, {.blocks = {0, 1}}, {});
  builder.comm({1, 0}, 0, 2, {.blocks = {0, 1}}, std::vector<OpId>{0});
  const Schedule schedule = builder.finish();
  CHECK(run(schedule, 8).start_s[1] == 9);
  CHECK(run(schedule, 8, kUnlimitedPorts).start_s[1] == 0);
}

TEST_CASE(
    "With every algorithm, eager messages keep the order of results and never lengthen a run with "
    "unlimited ports") {
  for (const Algorithm* algorithm : host_algorithms()) {
    for (const std::uint32_t ranks : {2U, 5U, 8U}) {
      const Problem problem = problem_of(*algorithm, ranks, 10 * ranks);
      if (refuses(*algorithm, problem)) {
        continue;
      }
      const Schedule schedule = make_schedule(*algorithm, problem);
      CAPTURE(algorithm->full_name(), ranks);
      const Timeline all = run(schedule, 1 << 20, kUnlimitedPorts);
      CHECK(all.total_s <= run(schedule, -1, kUnlimitedPorts).total_s * (1 + 1e-12));
      run(schedule, 1 << 20);
      run(schedule, 40);  // some messages are eager, others are not
      for (OpId id = 0; id < schedule.size(); ++id) {
        CHECK(all.end_s[id] >= all.start_s[id]);
        for (const OpId before : schedule.predecessors(id)) {
          // If a reduction or copy depends on a message that its rank receives, it must wait until
          // this message has arrived.
          if (!schedule.op(id).is_comm() && schedule.op(before).dst() == schedule.op(id).rank()) {
            CHECK(all.start_s[id] >= all.end_s[before] * (1 - 1e-12));
          }
        }
      }
    }
  }
}

}  // namespace tutti::test_eager
