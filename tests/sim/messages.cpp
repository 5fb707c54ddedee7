// Tests the message model of an MPI library (overheads, protocols and rates) with times computed by
// hand.
#include <catch2/catch.hpp>

#include "sim/messages/message_model.hpp"
#include "tests/schedules/hand_made.hpp"
#include "tests/sim/message_case.hpp"

namespace tutti::test_messages {

using sim::Protocol;
namespace {

// Returns a model with a send overhead of 1 s, a latency of 3 s and a receive overhead of 2 s.
// Messages up to 20 bytes are eager and buffered.
MessageModel plain_model() {
  MessageModel model;
  model.send_overhead_s = 1;
  model.latency_s = 3;
  model.receive_overhead_s = 2;
  model.eager_bytes = 20;
  return model;
}

// Time of an empty message in plain_model(), in seconds.
constexpr double kEnds = 1 + 3 + 2;

Schedule one_message(std::uint32_t bytes) {
  HandMadeSchedule made(2);
  made.comm(0, 1, bytes);
  return made.finish();
}

double time_of(const MessageModel& model, std::uint32_t bytes) {
  return MessageCase{model}.run(one_message(bytes)).total_s;
}

// Returns a schedule with a message for each (source, destination) of `ends`, in this order and
// without dependencies.
Schedule messages(std::uint32_t ranks, const std::vector<std::pair<Rank, Rank>>& ends,
                  std::uint32_t bytes) {
  HandMadeSchedule made(ranks);
  for (const auto& [src, dst] : ends) {
    made.comm(src, dst, bytes);
  }
  return made.finish();
}

}  // namespace

TEST_CASE("A message's time consists of its sender, its latency, its bytes and its receiver") {
  MessageModel model = plain_model();
  const Timeline timeline = MessageCase{model}.run(one_message(20));
  CHECK(timeline.start_s[0] == 0);
  CHECK(timeline.end_s[0] == Approx(kEnds + 2));
  CHECK(time_of(model, 0) == Approx(kEnds));
  model.rank_bytes_per_s = 8;
  CHECK(time_of(model, 20) == Approx(kEnds + 2.5));
}

TEST_CASE("A message without latency and bytes still occupies its receiver") {
  MessageModel model;
  model.receive_overhead_s = 2;
  CHECK(time_of(model, 0) == Approx(2));
  CHECK(time_of(model, 20) == Approx(2 + 2));
}

TEST_CASE("A message's protocol costs change at the sizes given by the model") {
  MessageModel model = plain_model();
  model.inline_bytes = 10;
  model.buffered_s = 0.5;
  model.eager_s_per_byte = 0.25;
  model.handshake_s = 7;
  CHECK(protocol_of(model, 10) == Protocol::inlined);
  CHECK(time_of(model, 10) == Approx(kEnds + 2.5 + 1));
  CHECK(protocol_of(model, 11) == Protocol::buffered);
  CHECK(time_of(model, 11) == Approx(kEnds + 0.5 + 2.75 + 1.1));
  CHECK(time_of(model, 20) == Approx(kEnds + 0.5 + 5 + 2));
  CHECK(protocol_of(model, 21) == Protocol::bulk);
  CHECK(time_of(model, 21) == Approx(kEnds + 7 + 2.1));
  model.bulk_bytes = 25;
  model.medium_bytes_per_s = 5;
  CHECK(protocol_of(model, 24) == Protocol::medium);
  CHECK(time_of(model, 24) == Approx(kEnds + 7 + 4.8));
  // A message of 20 bytes is still eager, so the rate of medium messages does not apply.
  CHECK(time_of(model, 20) == Approx(kEnds + 0.5 + 5 + 2));
  CHECK(protocol_of(model, 25) == Protocol::bulk);
  CHECK(time_of(model, 25) == Approx(kEnds + 7 + 2.5));
  model.long_bytes = 30;
  model.long_bytes_per_s = 4;
  CHECK(protocol_of(model, 29) == Protocol::bulk);
  CHECK(time_of(model, 29) == Approx(kEnds + 7 + 2.9));
  CHECK(protocol_of(model, 30) == Protocol::both_ways);
  CHECK(time_of(model, 30) == Approx(kEnds + 7 + 7.5));
}

TEST_CASE("From long_bytes on, the sends and receives of a rank share a rate") {
  MessageModel model = plain_model();
  model.eager_bytes = 0;
  model.long_bytes = 20;
  model.long_bytes_per_s = 8;
  const auto exchange_s = [&](std::uint32_t bytes) {
    return MessageCase{model}.run(messages(2, {{0, 1}, {1, 0}}, bytes)).total_s;
  };
  CHECK(exchange_s(19) == Approx(kEnds + 1.9));
  CHECK(exchange_s(20) == Approx(kEnds + 5));  // 4 bytes/s in each direction
}

TEST_CASE("A sender starts its messages one after the other, and they share its rate") {
  const Timeline timeline = MessageCase{plain_model()}.run(messages(3, {{0, 1}, {0, 2}}, 20));
  CHECK(timeline.start_s[1] == 0);  // eager messages do not wait for a port
  // The messages flow from 4 s and 5 s on. The first message is alone for one second, then has half
  // of the sender's rate for 2 s.
  CHECK(timeline.end_s[0] == Approx(7 + 2));
  // The second message moves 10 bytes until 7 s, and the other 10 bytes at the full rate.
  CHECK(timeline.end_s[1] == Approx(8 + 2));
}

TEST_CASE("Messages to one receiver share its rate, and are received one after the other") {
  const Timeline timeline = MessageCase{plain_model()}.run(messages(3, {{0, 2}, {1, 2}}, 20));
  CHECK(timeline.end_s[0] == Approx(4 + 4 + 2));
  CHECK(timeline.end_s[1] == Approx(4 + 4 + 2 + 2));
}

TEST_CASE("The receiver's core makes half of the copies of an eager message") {
  MessageModel model = plain_model();
  model.eager_s_per_byte = 0.5;
  const Timeline timeline = MessageCase{model}.run(messages(3, {{0, 2}, {1, 2}}, 20));
  // Both messages flow from 9 s on. The receiver works on each of them for 2 s and copies for 5 s.
  CHECK(timeline.end_s[0] == Approx(9 + 4 + 7));
  CHECK(timeline.end_s[1] == Approx(9 + 4 + 7 + 7));
}

TEST_CASE("A rank's core handles both sends and receives") {
  HandMadeSchedule made(3);
  const OpId first = made.comm(0, 1, 0);
  made.comm(1, 2, 0, {first});
  made.comm(2, 1, 0);
  const Timeline timeline = MessageCase{plain_model()}.run(made.finish());
  // Both messages to rank 1 reach it at 4 s. Rank 1 handles the first until 6 s and the second
  // until 8 s, and only then sends its own message.
  CHECK(timeline.end_s[0] == Approx(6));
  CHECK(timeline.end_s[2] == Approx(8));
  CHECK(timeline.start_s[1] == Approx(6));
  CHECK(timeline.end_s[1] == Approx(8 + kEnds));
}

TEST_CASE(
    "A message to another rank than the previous one takes longer, and delays no other message") {
  MessageModel model = plain_model();
  model.peer_switch_s = 0.5;
  const Timeline timeline =
      MessageCase{model}.run(messages(4, {{0, 1}, {0, 1}, {0, 2}, {0, 3}}, 0));
  CHECK(timeline.end_s[0] == Approx(1 + 0.5 + 3 + 2));
  // The message arrives at 5 s, and waits until its receiver has handled the first message.
  CHECK(timeline.end_s[1] == Approx(6.5 + 2));
  CHECK(timeline.end_s[2] == Approx(3 + 0.5 + 3 + 2));
  CHECK(timeline.end_s[3] == Approx(4 + 0.5 + 3 + 2));
}

TEST_CASE("With more ranks than connections, a rank switches to one receiver at a time") {
  MessageModel model = plain_model();
  model.peer_switch_s = 5;
  const Schedule schedule = messages(4, {{0, 1}, {0, 2}, {0, 3}}, 0);
  for (const auto& [connections, last_s] : {std::pair{4.0, 3.0 + 5}, std::pair{3.0, 1.0 + 3 * 5}}) {
    model.connections = connections;
    CHECK(MessageCase{model}.run(schedule).end_s[2] == Approx(last_s + 3 + 2));
  }
  // A second message to the same rank waits for the switch, too.
  CHECK(MessageCase{model}.run(messages(4, {{0, 1}, {0, 1}}, 0)).end_s[1] == Approx(1 + 5 + 3 + 4));
  // Ranks 0 and 1 share a host, so the second message does not wait for the switch before it.
  CHECK(MessageCase{model, 2}.run(messages(4, {{0, 2}, {0, 1}}, 0)).end_s[1] == Approx(2 + 2));
}

TEST_CASE("An eager message that arrives early is received when its receiver is ready") {
  HandMadeSchedule made(3);
  const OpId busy = made.reduce(1, 24);
  const OpId one = made.comm(0, 1, 20, {busy});
  const OpId other = made.comm(2, 1, 20, {busy});
  made.comm(1, 2, 0, {one});
  const Timeline timeline = MessageCase{plain_model()}.run(made.finish());
  CHECK(timeline.start_s[one] == 0);
  CHECK(timeline.end_s[one] == Approx(24 + 2));
  CHECK(timeline.end_s[other] == Approx(24 + 2 + 2));
  CHECK(timeline.start_s[3] == Approx(26));
  // A message with a handshake leaves when its sender and its receiver are ready.
  MessageModel model = plain_model();
  model.eager_bytes = 19;
  CHECK(MessageCase{model}.run(messages(2, {{0, 1}}, 20)).total_s == Approx(kEnds + 2));
  HandMadeSchedule again(2);
  again.comm(0, 1, 20, {again.reduce(1, 24)});
  const Timeline request = MessageCase{model}.run(again.finish());
  CHECK(request.start_s[1] == Approx(24));
  CHECK(request.end_s[1] == Approx(24 + kEnds + 2));
}

TEST_CASE("Messages within a host have their own latency, handshake and rates") {
  MessageModel model = plain_model();
  model.node_latency_s = 1.5;
  model.node_handshake_s = 5;
  model.node_rank_bytes_per_s = 8;
  model.node_bytes_per_s = 12;
  // None of these parameters applies within a host.
  model.buffered_s = model.handshake_s = model.peer_switch_s = model.host_gap_s = 100;
  model.rank_bytes_per_s = model.long_bytes_per_s = model.medium_bytes_per_s = 0.01;
  model.long_bytes = 31;
  const auto end_s = [&](const std::vector<std::pair<Rank, Rank>>& ends) {
    return MessageCase{model, 4}.run(messages(4, ends, 20)).total_s;
  };
  CHECK(end_s({{0, 1}}) == Approx(1 + 1.5 + 2.5 + 2));
  CHECK(end_s({{0, 1}, {2, 3}}) == Approx(1 + 1.5 + 20 / 6.0 + 2));
  model.eager_bytes = 19;
  CHECK(end_s({{0, 1}}) == Approx(1 + 1.5 + 5 + 2.5 + 2));
  model.bulk_bytes = 31;
  CHECK(end_s({{0, 1}}) == Approx(1 + 1.5 + 5 + 2.5 + 2));
  // Cores are occupied for at most node_overhead_s.
  model.node_overhead_s = 1.25;
  CHECK(end_s({{0, 1}}) == Approx(1 + 1.5 + 5 + 2.5 + 1.25));
  model.node_overhead_s = 0.25;
  CHECK(end_s({{0, 1}}) == Approx(0.25 + 1.5 + 5 + 2.5 + 0.25));
  model.node_overhead_s = MessageModel().node_overhead_s;
  // Without limits on rates, the bytes of a message take no time.
  model.node_rank_bytes_per_s = model.node_bytes_per_s = MessageModel().node_bytes_per_s;
  CHECK(end_s({{0, 1}, {2, 3}, {3, 2}, {1, 3}}) < 30);
  CHECK(end_s({{0, 1}, {2, 3}}) == Approx(1 + 1.5 + 5 + 2));
}

TEST_CASE("The network interface of a host sends the messages of its ranks one after the other") {
  MessageModel model = plain_model();
  model.host_gap_s = 0.25;
  const Schedule both = messages(4, {{0, 2}, {1, 3}}, 10);
  const Timeline timeline = MessageCase{model, 2}.run(both);
  // The messages flow from 4 s and 4.25 s on, over one link of 10 bytes/s.
  CHECK(timeline.end_s[0] == Approx(5.75 + 2));
  CHECK(timeline.end_s[1] == Approx(6 + 2));
  // If each rank has its own host, no messages share a network interface.
  CHECK(MessageCase{model, 1}.run(both).total_s == Approx(kEnds + 1));
}

TEST_CASE("At most N messages with a handshake are in flight at a time") {
  MessageModel model = plain_model();
  model.eager_bytes = 19;
  const Schedule three = messages(4, {{0, 1}, {0, 2}, {0, 3}}, 20);
  model.under_way = 1;
  const double alone_s = kEnds + 2;
  const Timeline one = MessageCase{model}.run(three);
  CHECK(one.start_s[1] == Approx(alone_s));
  CHECK(one.start_s[2] == Approx(2 * alone_s));
  CHECK(one.total_s == Approx(3 * alone_s));
  model.under_way = 2;
  const Timeline two = MessageCase{model}.run(three);
  CHECK(two.start_s[1] == 0);
  CHECK(two.start_s[2] == Approx(two.end_s[0]));
  model.eager_bytes = 20;
  model.under_way = 1;
  CHECK(MessageCase{model}.run(three).start_s == std::vector<double>{0, 0, 0});
}

TEST_CASE("Messages between distant hosts pay the route's extra latency, times a factor") {
  MessageModel model = plain_model();
  model.wire_latency_factor = 3;
  const auto end_s = [&](Rank to) {
    return MessageCase{model}.run(messages(4, {{0, to}}, 20), two_leaves()).total_s;
  };
  CHECK(end_s(1) == Approx(kEnds + 2));
  CHECK(end_s(2) == Approx(kEnds + 2 + 3 * 2.0));
  model.wire_latency_factor = 0;
  CHECK(end_s(2) == Approx(kEnds + 2));
}

TEST_CASE("Other jobs take a share of the links between switches, and of no other links") {
  MessageModel model = plain_model();
  model.load = 0.75;
  model.wire_latency_factor = 0;
  // With the second latency, 0, all routes have the same latency.
  for (const double latency_s : {kStarLatency / 2, 0.0}) {
    const MessageCase loaded{model, 1, 2 * latency_s};
    const auto ends_s = [&](const std::vector<std::pair<Rank, Rank>>& ends) {
      return loaded.run(messages(4, ends, 20), two_leaves(latency_s)).end_s;
    };
    CAPTURE(latency_s);
    CHECK(ends_s({{0, 1}})[0] == Approx(kEnds + 2));
    CHECK(ends_s({{0, 2}})[0] == Approx(kEnds + 8));
    // The result must not depend on which route is computed first.
    const std::vector<double> near_first = ends_s({{1, 0}, {3, 1}});
    CHECK(near_first[0] == Approx(kEnds + 2));
    CHECK(near_first[1] == Approx(kEnds + 8));
    const std::vector<double> far_first = ends_s({{3, 1}, {1, 0}});
    CHECK(far_first[0] == Approx(kEnds + 8));
    CHECK(far_first[1] == Approx(kEnds + 2));
  }
}

TEST_CASE("Local work has prices for caches or memory, which the ranks of a host share") {
  MessageModel model;
  model.cache_bytes = 100;
  model.reduce_s_per_byte = 1;
  model.copy_s_per_byte = 2;
  model.reduce_memory_s_per_byte = 5;
  model.copy_memory_s_per_byte = 7;
  const LocalPrices in = local_prices(model, 50, 2);
  CHECK(in.reduce_s_per_byte == 1);
  CHECK(in.copy_s_per_byte == 2);
  for (const auto& [bytes, ranks] : {std::pair{50, 3}, std::pair{51, 2}, std::pair{101, 1}}) {
    const LocalPrices out = local_prices(model, bytes, ranks);
    CHECK(out.reduce_s_per_byte == 5);
    CHECK(out.copy_s_per_byte == 7);
  }
  // Reducing a byte accesses three bytes of memory, and copying a byte accesses two.
  model.memory_bytes_per_s = 2;
  CHECK(local_prices(model, 101, 3).reduce_s_per_byte == 5);
  CHECK(local_prices(model, 101, 4).reduce_s_per_byte == Approx(6));
  CHECK(local_prices(model, 101, 7).copy_s_per_byte == 7);
  CHECK(local_prices(model, 101, 8).copy_s_per_byte == Approx(8));
  CHECK(local_prices(model, 10, 8).copy_s_per_byte == 2);
}

TEST_CASE("Each parameter has a unique name, and its own member") {
  MessageModel model;
  double value = 1;
  for (const MessageParameter& each : message_parameters()) {
    CHECK(find_message_parameter(each.name) == &each);
    CHECK(each.least <= model.*each.value);
    CHECK((model.*each.value <= each.most || model.*each.value > 1e300));
    model.*each.value = value++;
  }
  for (const MessageParameter& each : message_parameters()) {
    CHECK(model.*each.value == value - static_cast<double>(message_parameters().size()));
    value += 1;
  }
  CHECK(sizeof(MessageModel) == message_parameters().size() * sizeof(double));
  CHECK(find_message_parameter("latency") == nullptr);
}

}  // namespace tutti::test_messages
