// Tests the order in which operations start, on schedules small enough to find the correct times by
// hand.
#include <catch2/catch.hpp>

#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/hand_made.hpp"

namespace tutti::test_engine {

namespace {

// A message of b bytes takes 10 + b seconds, a reduction of b bytes takes 2 b seconds, and a copy
// of b bytes takes 3 b seconds.
constexpr Prices kPrices{10, 1, 2, 3};

Timeline run(HandMadeSchedule& made, std::uint32_t ports = 1, const Prices& prices = kPrices) {
  const Schedule schedule = made.finish();
  return CriticalPathEngine(prices).run(schedule, {ports});
}

}  // namespace

TEST_CASE("an empty schedule takes no time") {
  HandMadeSchedule made(2);
  const Timeline timeline = run(made);
  CHECK(timeline.total_s == 0);
  CHECK(timeline.start_s.empty());
}

TEST_CASE("an operation starts when all its predecessors are done") {
  HandMadeSchedule made(3);
  const OpId a = made.comm(0, 1, 5);
  const OpId b = made.reduce(1, 20);
  const OpId c = made.comm(1, 2, 1, {a, b});
  const OpId d = made.copy(2, 2, {c});
  const Timeline timeline = run(made);
  CHECK(timeline.start_s == std::vector<double>{0, 0, 40, 51});
  CHECK(timeline.end_s == std::vector<double>{15, 40, 51, 57});
  CHECK(timeline.total_s == timeline.end_s[d]);
}

TEST_CASE("with one port a rank sends one message at a time, and receives one") {
  HandMadeSchedule made(4);
  made.comm(0, 1, 0);
  made.comm(0, 2, 0);  // waits for rank 0's outgoing port
  made.comm(1, 0, 0);  // rank 1's outgoing and rank 0's incoming port are free
  made.comm(3, 1, 0);  // waits for rank 1's incoming port
  const Timeline timeline = run(made);
  CHECK(timeline.start_s == std::vector<double>{0, 10, 0, 10});
  CHECK(timeline.total_s == 20);
}

TEST_CASE("two ports carry two messages, and unlimited ports all") {
  for (const auto& [ports, last_start] : {std::pair{1U, 40.}, {2U, 20.}, {3U, 10.}, {5U, 0.}}) {
    HandMadeSchedule made(6);
    for (Rank rank = 1; rank < 6; ++rank) {
      made.comm(0, rank, 0);
    }
    const Timeline timeline = run(made, ports);
    CHECK(timeline.start_s.back() == last_start);
  }
  HandMadeSchedule made(6);
  for (Rank rank = 1; rank < 6; ++rank) {
    made.comm(rank, 0, 0);
  }
  CHECK(run(made, kUnlimitedPorts).total_s == 10);
}

TEST_CASE("ports limit messages, not reductions, and a rank has one core whatever its ports") {
  HandMadeSchedule made(2);
  made.reduce(0, 4);
  made.reduce(0, 5);
  made.copy(0, 1);
  made.reduce(1, 4);
  made.comm(0, 1, 0);
  const Timeline timeline = run(made, kUnlimitedPorts);
  CHECK(timeline.start_s == std::vector<double>{0, 8, 18, 0, 0});
}

TEST_CASE("a waiting operation does not hold back a later one") {
  HandMadeSchedule made(4);
  made.comm(0, 1, 10);
  made.comm(0, 2, 0);  // waits for the port of rank 0
  // This message does not need the port of rank 0, so it starts before the previous one although
  // its id is larger.
  made.comm(3, 2, 0);
  const Timeline timeline = run(made);
  CHECK(timeline.start_s == std::vector<double>{0, 20, 0});
}

TEST_CASE(
    "the smallest id among operations that wait for a port goes first, however long it waits") {
  HandMadeSchedule made(5);
  const OpId first = made.comm(0, 1, 0);
  const OpId gate = made.reduce(0, 3);  // ends at 6 s, so that `late` becomes ready last
  const OpId late = made.comm(0, 2, 0, {gate});
  const OpId waiting = made.comm(0, 3, 0);
  const OpId last = made.comm(0, 4, 0);
  const Timeline timeline = run(made);
  CHECK(timeline.start_s[first] == 0);
  CHECK(timeline.start_s[late] == 10);
  CHECK(timeline.start_s[waiting] == 20);
  CHECK(timeline.start_s[last] == 30);
}

TEST_CASE("a message does not hold one port while it waits for the other") {
  HandMadeSchedule made(4);
  made.comm(0, 1, 0);   // occupies rank 1's incoming port until 10 s
  made.comm(2, 1, 0);   // waits for that port, and leaves rank 2's outgoing port free
  made.comm(2, 3, 10);  // occupies rank 2's outgoing port until 20 s
  const Timeline timeline = run(made);
  CHECK(timeline.start_s == std::vector<double>{0, 20, 0});
}

TEST_CASE("all completions of an instant are handled before anything starts") {
  HandMadeSchedule made(4);
  const OpId a = made.comm(0, 1, 0);
  const OpId b = made.comm(2, 3, 0);
  const OpId ready_by_b = made.comm(3, 1, 0, {b});
  const OpId ready_by_a = made.comm(0, 1, 0, {a});
  const Timeline timeline = run(made);
  // The last two messages are both ready at 10 s and need the incoming port of rank 1. The one with
  // the smaller id goes first, although the completion of `a` is handled before that of `b`.
  CHECK(timeline.start_s[ready_by_b] == 10);
  CHECK(timeline.start_s[ready_by_a] == 20);
}

TEST_CASE("operations of no duration finish at once, even if the core is busy") {
  HandMadeSchedule made(3);
  made.reduce(0, 10);
  const OpId nothing = made.reduce(0, 0);
  const OpId chain = made.copy(0, 0, {nothing});
  const OpId after = made.comm(0, 1, 0, {chain});
  const Timeline timeline = run(made);
  CHECK(timeline.end_s[nothing] == 0);
  CHECK(timeline.end_s[chain] == 0);
  CHECK(timeline.start_s[after] == 0);
  CHECK(timeline.total_s == 20);
}

TEST_CASE("free reductions and copies release their successors in the same instant") {
  HandMadeSchedule made(3);
  const OpId a = made.comm(0, 1, 0);
  const OpId b = made.reduce(1, 9, {a});
  const OpId c = made.copy(1, 9, {b});
  const OpId d = made.comm(1, 2, 0, {c});
  const Timeline timeline = run(made, 1, {10, 1, 0, 0});
  CHECK(timeline.start_s[b] == 10);
  CHECK(timeline.end_s[c] == 10);
  CHECK(timeline.start_s[d] == 10);
  CHECK(timeline.total_s == 20);
}

TEST_CASE("messages that take no time still occupy their ports") {
  HandMadeSchedule made(3);
  made.comm(0, 1, 3);
  made.comm(0, 2, 0);
  made.comm(0, 2, 0);
  const Timeline timeline = run(made, 1, {0, 1, 1, 0});
  CHECK(timeline.start_s == std::vector<double>{0, 3, 3});
  CHECK(timeline.end_s == std::vector<double>{3, 3, 3});
}

TEST_CASE("operations that end less than a picosecond apart end together") {
  HandMadeSchedule made(4);
  const OpId a = made.comm(0, 1, 1);
  const OpId b = made.comm(2, 3, 2);
  const OpId c = made.comm(3, 1, 1, {b});
  const OpId d = made.comm(0, 1, 1, {a});
  const Timeline apart = [&] {
    HandMadeSchedule same(4);
    const OpId x = same.comm(0, 1, 1);
    const OpId y = same.comm(2, 3, 2);
    same.comm(3, 1, 1, {y});
    same.comm(0, 1, 1, {x});
    return run(same, 1, {1e-6, 2e-12, 0, 0});
  }();
  const Timeline together = run(made, 1, {1e-6, 0.5e-12, 0, 0});
  // In `apart`, message d is ready 2 ps before message c, and gets the incoming port of rank 1. In
  // `together`, the difference is half a picosecond, which counts as simultaneous, so the message
  // with the smaller id, c, gets the port.
  CHECK(apart.start_s[d] < apart.start_s[c]);
  CHECK(together.start_s[c] < together.start_s[d]);
  CHECK(together.end_s[a] == together.end_s[b]);
}

}  // namespace tutti::test_engine
