// Tests the flow engine with messages of a connection that follow each other (FlowSetup::in_order).
#include <catch2/catch.hpp>

#include <vector>

#include "schedules/builder.hpp"
#include "sim/flow/flow_engine.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_in_order {
namespace {

// A message of 8 bytes takes 2 s of latency and then 8 s, if it is alone on its links.
std::vector<double> ends_of(const Schedule& schedule, bool in_order) {
  Crossbar crossbar;
  crossbar.hosts = schedule.ranks();
  crossbar.latency_s = 2;
  crossbar.bandwidth_bytes_per_s = 1;
  crossbar.speed_flops_per_s = 1;
  CrossbarNetwork network(crossbar);
  FlowSetup flow_setup;
  flow_setup.in_order = in_order;
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    flow_setup.host_of_rank.push_back(rank);
  }
  RunSetup setup;
  setup.ports = kUnlimitedPorts;
  return FlowEngine(network, flow_setup).run(schedule, setup).end_s;
}

// Returns a schedule of messages of one block of 8 bytes each, which all begin at once.
Schedule messages(const std::vector<Rank>& receivers) {
  const auto blocks = static_cast<std::uint32_t>(receivers.size());
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, blocks), blocks);
  for (std::uint32_t block = 0; block < blocks; ++block) {
    builder.comm({0, block}, 0, receivers[block], {.blocks = {block, 1}}, {});
  }
  return builder.finish();
}

void check_ends(const std::vector<double>& ends, const std::vector<double>& expected) {
  REQUIRE(ends.size() == expected.size());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CAPTURE(i);
    CHECK(ends[i] == Approx(expected[i]));
  }
}

}  // namespace

TEST_CASE("Messages between two ranks follow each other, and their latencies overlap") {
  const Schedule three = messages({1, 1, 1});
  check_ends(ends_of(three, true), {10, 18, 26});
  check_ends(ends_of(three, false), {26, 26, 26});
}

TEST_CASE("Messages to different ranks share the sender's link although connections are in order") {
  // The first messages to both ranks share the link until 18 s, then the second message to rank 1
  // is alone.
  const Schedule mixed = messages({1, 2, 1});
  check_ends(ends_of(mixed, true), {18, 18, 26});
  check_ends(ends_of(mixed, false), {26, 26, 26});
}

TEST_CASE("A message that starts later waits for the one before it only while it transfers") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 2), 2);
  const OpId first = builder.comm({0, 0}, 0, 1, {.blocks = {0, 1}}, {});
  builder.comm({1, 0}, 0, 1, {.blocks = {1, 1}}, std::vector<OpId>{first});
  check_ends(ends_of(builder.finish(), true), {10, 20});
}

}  // namespace tutti::test_in_order
