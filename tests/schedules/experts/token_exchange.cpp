#include "schedules/experts/token_exchange.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/verify_support.hpp"

namespace tutti::test_token_exchange {
namespace {

using Catch::Matchers::Contains;

ExpertRouting small_routing(std::uint32_t experts, std::uint32_t top, std::uint32_t tokens) {
  ExpertRouting routing;
  routing.experts = experts;
  routing.top = top;
  routing.tokens = tokens;
  routing.skew = 0.7;
  return routing;
}

Schedule made(const RoutedTokens& tokens, TokenPhase phase, std::uint32_t pieces = 1,
              Detail detail = Detail::payload) {
  return schedule_of_tokens(tokens, {phase, 16, pieces}, detail);
}

// Bytes that cross between nodes.
std::uint64_t network_bytes(const Schedule& schedule, std::uint32_t ranks_per_node) {
  std::uint64_t sum = 0;
  for (const Op& op : schedule.ops()) {
    sum += op.is_comm() && op.src() / ranks_per_node != op.dst() / ranks_per_node ? op.bytes() : 0;
  }
  return sum;
}

std::string faults(ScheduleParts parts, const RoutedTokens& tokens, TokenPhase phase) {
  return all_texts(verify_tokens(assemble(std::move(parts)), tokens, phase));
}

}  // namespace

TEST_CASE("tokens: every dispatch and combine is proved") {
  struct Case {
    std::uint32_t ranks, per_node, experts, top, tokens, pieces;
    double capacity = 0;
    std::uint32_t most_nodes = 0;
  };
  for (const Case& each :
       {Case{1, 1, 4, 2, 3, 1}, Case{2, 1, 4, 3, 5, 1}, Case{2, 2, 4, 2, 5, 2},
        Case{4, 2, 8, 3, 16, 1}, Case{4, 4, 8, 2, 16, 3}, Case{6, 2, 12, 4, 10, 2},
        Case{6, 3, 6, 2, 10, 20}, Case{12, 4, 24, 6, 32, 4}, Case{16, 8, 64, 8, 40, 2, 1.1},
        Case{16, 4, 64, 8, 40, 2, 0.5, 2}, Case{16, 2, 16, 2, 40, 1, 0, 1},
        Case{64, 8, 256, 8, 16, 2, 1.25, 4}}) {
    ExpertRouting routing = small_routing(each.experts, each.top, each.tokens);
    routing.capacity = each.capacity;
    routing.most_nodes = each.most_nodes;
    const RoutedTokens tokens(routing, each.ranks, each.per_node);
    for (const TokenPhase phase : {TokenPhase::dispatch, TokenPhase::combine}) {
      INFO(each.ranks << " ranks, " << each.per_node << " on a node, "
                      << (phase == TokenPhase::dispatch ? "dispatch" : "combine"));
      const Schedule schedule = made(tokens, phase, each.pieces);
      const Verdict verdict = verify_tokens(schedule, tokens, phase);
      CHECK(all_texts(verdict).empty());
      CHECK(verdict.proved());
      // A token crosses the network once to each other node.
      CHECK(network_bytes(schedule, each.per_node) ==
            Approx(tokens.other_nodes() * 16 * each.ranks * each.tokens));
      const Schedule times = made(tokens, phase, each.pieces, Detail::times_only);
      CHECK(std::ranges::equal(times.ops(), schedule.ops(), {}, &Op::bytes, &Op::bytes));
    }
  }
}

TEST_CASE("tokens: a combine sends what a dispatch sends, the other way") {
  const RoutedTokens tokens(small_routing(64, 8, 40), 16, 4);
  const auto sent = [&](TokenPhase phase) {
    std::vector<std::uint64_t> bytes(16 * 16);
    const Schedule schedule = made(tokens, phase, 2);
    for (const Op& op : schedule.ops()) {
      const bool there = phase == TokenPhase::dispatch;
      if (op.is_comm()) {
        bytes[(there ? op.src() : op.dst()) * 16 + (there ? op.dst() : op.src())] += op.bytes();
      }
    }
    return bytes;
  };
  CHECK(sent(TokenPhase::dispatch) == sent(TokenPhase::combine));
}

TEST_CASE("tokens: each fault in a dispatch is found") {
  const RoutedTokens tokens(small_routing(8, 3, 16), 4, 2);
  const Schedule right = made(tokens, TokenPhase::dispatch);
  for (OpId id = 0; id < right.size(); ++id) {
    INFO(id);
    // A message with one token less. The pool of later messages may then have a gap.
    ScheduleParts less = parts_of(right);
    Payload& payload = less.payloads[id];
    const Op op = less.ops[id];
    if (payload.from.count > 1) {
      --payload.from.count;
      less.ops[id] = Op(op.kind(), op.src(), op.dst(), op.bytes() - 16, op.label(), op.from(),
                        op.into(), op.from_is(), op.pooled());
      CHECK_THAT(faults(std::move(less), tokens, TokenPhase::dispatch),
                 Contains("does not get it"));
    }
    // A message that is sent twice.
    ScheduleParts twice = parts_of(right);
    twice.add(op, twice.payloads[id], {id});
    CHECK_THAT(faults(std::move(twice), tokens, TokenPhase::dispatch),
               Contains("more often than once"));
  }
  // Messages that are passed on before they have arrived.
  ScheduleParts early = parts_of(right);
  early.dependencies.clear();
  std::fill(early.rows.begin(), early.rows.end(), 0U);
  const Schedule unordered = assemble(std::move(early));
  CHECK_FALSE(verify_tokens(unordered, tokens, TokenPhase::dispatch).proved());
  // A token of rank 0 to a rank without an expert of it.
  for (Rank rank = 1; rank < 4; ++rank) {
    for (std::uint32_t token = 0; token < 16; ++token) {
      if (!std::ranges::binary_search(tokens.ranks_of(token), rank) && rank % 2 == 1) {
        ScheduleParts more = parts_of(right);
        more.add(
            Op(OpKind::comm, 0, rank, 16, {}, Buffer::work, Buffer::work, Operand::left, false),
            {{token, 1}, token}, {});
        CHECK_THAT(faults(std::move(more), tokens, TokenPhase::dispatch),
                   Contains("does not pass it on") || Contains("more often than once"));
      }
    }
  }
}

TEST_CASE("tokens: each fault in a combine is found") {
  const RoutedTokens tokens(small_routing(8, 3, 16), 4, 2);
  const Schedule right = made(tokens, TokenPhase::combine);
  for (OpId id = 0; id < right.size(); ++id) {
    const Op op = right.op(id);
    if (op.is_comm()) {
      continue;
    }
    INFO(id);
    // A reduction in place of a copy, and the other way round.
    ScheduleParts other = parts_of(right);
    other.ops[id] =
        Op(op.kind() == OpKind::copy ? OpKind::reduce : OpKind::copy, op.src(), op.dst(),
           op.bytes(), op.label(), op.from(), op.into(), op.from_is(), op.pooled());
    CHECK_THAT(faults(std::move(other), tokens, TokenPhase::combine),
               Contains("the result of each of its"));
    // A reduction that is done twice.
    if (op.kind() == OpKind::reduce) {
      ScheduleParts twice = parts_of(right);
      twice.add(op, twice.payloads[id], {id});
      const std::string found = faults(std::move(twice), tokens, TokenPhase::combine);
      CHECK_FALSE(found.empty());
    }
  }
  // A proof with other experts.
  ExpertRouting routing = small_routing(8, 3, 16);
  routing.seed = 2;
  const RoutedTokens others(routing, 4, 2);
  CHECK_FALSE(verify_tokens(right, others, TokenPhase::combine).proved());
}

TEST_CASE("tokens: pieces are passed on while later ones arrive") {
  // Every token goes to every rank.
  ExpertRouting routing;
  routing.experts = 4;
  routing.top = 4;
  routing.tokens = 64;
  const RoutedTokens tokens(routing, 4, 2);
  Prices prices;
  prices.alpha_s = 0;
  prices.beta_s_per_byte = 1;
  const auto time_s = [&](std::uint32_t pieces) {
    return CriticalPathEngine(prices)
        .run(made(tokens, TokenPhase::dispatch, pieces, Detail::times_only), {kUnlimitedPorts})
        .total_s;
  };
  // Each message has 64 tokens of 16 bytes. Without pieces, two follow each other. With pieces, the
  // last one passes on the last piece.
  CHECK(time_s(1) == Approx(2 * 64 * 16));
  CHECK(time_s(4) == Approx((1 + 1.0 / 4) * 64 * 16));
  CHECK(time_s(64) == Approx((1 + 1.0 / 64) * 64 * 16));
}

}  // namespace tutti::test_token_exchange
