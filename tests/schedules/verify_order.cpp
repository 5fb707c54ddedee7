// Checks that the proof derives, rather than assumes, the order and the brackets with which blocks
// are combined.
#include <catch2/catch.hpp>

#include "schedules/verify/expressions.hpp"
#include "tests/schedules/verify_support.hpp"

namespace tutti::test_verify_order {

namespace {

// Returns an exchange as it is often coded for commutative operators: each rank's own value is the
// left operand.
Schedule own_operand_first(std::uint32_t ranks) {
  ByHand hand(small_problem(Collective::allreduce, ranks));
  std::vector<OpId> last(ranks, kNoOp);
  for (std::uint32_t level = 0; 1U << level < ranks; ++level) {
    std::vector<OpId> received(ranks);
    std::vector<OpId> sent(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      const Rank partner = rank ^ 1U << level;
      std::vector<OpId> after;
      if (level > 0) {
        after = {last[rank], last[partner]};
      }
      sent[rank] = received[partner] =
          hand.comm({level, 0}, rank, partner, 0, Buffer::work, Buffer::scratch, after);
    }
    for (Rank rank = 0; rank < ranks; ++rank) {
      last[rank] = hand.reduce({level, 0}, rank, 0, Operand::right, {received[rank], sent[rank]});
    }
  }
  return hand.finish();
}

}  // namespace

TEST_CASE("ring and circulant allreduce are for commutative operators only") {
  for (const char* name : {"allreduce/ring", "allreduce/segmented_ring", "allreduce/circulant"}) {
    for (std::uint32_t p = 2; p <= 64; ++p) {
      CAPTURE(name, p);
      const Algorithm& algorithm = algorithm_named(name);
      const Verdict verdict = verify(make_schedule(algorithm, problem_for(algorithm, p)));
      CHECK(verdict.proved());
      CHECK(verdict.order == OperandOrder::commutative_only);
      // The result of each block is computed once and then distributed, so all ranks get the same
      // bits.
      CHECK(verdict.bitwise_equal);
    }
  }
}

TEST_CASE("Träff's worked example: block 21 at rank 21 of 22 is summed in the paper's order") {
  const Algorithm& algorithm = algorithm_named("allreduce/circulant");
  const Schedule schedule = make_schedule(algorithm, problem_for(algorithm, 22));
  // Each line of the expected text has the contributions that rank 21 receives in one of the five
  // rounds. Only x21, its own contribution, is not received.
  CHECK(combination_text(schedule, 21, 21) ==
        "x21 + x10 + "
        "(x15 + x4) + "
        "(x18 + x7 + (x12 + x1)) + "
        "(x19 + x8 + (x13 + x2) + (x16 + x5)) + "
        "(x20 + x9 + (x14 + x3) + (x17 + x6 + (x11 + x0)))");
  // All ranks combine in the same order, shifted by the rank.
  CHECK(combination_text(schedule, 0, 0).substr(0, 22) == "x0 + x11 + (x16 + x5) ");
}

TEST_CASE("operand sides of single steps do not change bits, but brackets do") {
  // With a commutative operator the code of [verification notes] puts operands in different orders
  // on different ranks: the sides differ, the brackets don't.
  const Schedule sides = own_operand_first(8);
  CHECK(combination_text(sides, 0, 0) == "x0 + x1 + (x2 + x3) + (x4 + x5 + (x6 + x7))");
  CHECK(combination_text(sides, 7, 0) == "x7 + x6 + (x5 + x4) + (x3 + x2 + (x1 + x0))");
  const Verdict same = verify(sides);
  CHECK(same.proved());
  CHECK(same.order == OperandOrder::commutative_only);
  CHECK(same.bitwise_equal);

  // Every rank gathers all vectors and adds them up in its own order.
  constexpr std::uint32_t kRanks = 3;
  ByHand hand(small_problem(Collective::allreduce, kRanks));
  for (Rank rank = 0; rank < kRanks; ++rank) {
    std::vector<OpId> after;
    for (std::uint32_t i = 1; i < kRanks; ++i) {
      const Rank from = (rank + i) % kRanks;
      const OpId received = hand.comm({i, 0}, from, rank, 0, Buffer::input, Buffer::scratch, after);
      after = {hand.reduce({i, 0}, rank, 0, Operand::right, {received})};
    }
  }
  const Schedule rotated = hand.finish();
  CHECK(combination_text(rotated, 1, 0) == "x1 + x2 + x0");
  const Verdict different = verify(rotated);
  CHECK(different.proved());
  CHECK_FALSE(different.bitwise_equal);
}

TEST_CASE("expressions keep operands and brackets") {
  Expressions expressions(4, 2);
  const auto a = expressions.leaf(0, 1);
  const auto b = expressions.leaf(1, 1);
  const auto c = expressions.leaf(2, 1);
  const auto d = expressions.leaf(3, 1);
  const auto ab = expressions.combine(a, b);
  const auto cd = expressions.combine(c, d);

  SECTION("equal expressions are one value") {
    CHECK(expressions.combine(a, b) == ab);
    CHECK(expressions.combine(b, a) != ab);
    CHECK(expressions.combine(ab, Expressions::kUndefined) == Expressions::kUndefined);
  }
  SECTION("rank order is recognised with any brackets") {
    CHECK(expressions.is_sum_in_rank_order(expressions.combine(ab, cd), 1));
    CHECK(expressions.is_sum_in_rank_order(expressions.combine(a, expressions.combine(b, cd)), 1));
    CHECK_FALSE(expressions.is_sum_in_rank_order(expressions.combine(cd, ab), 1));
    CHECK_FALSE(expressions.is_sum_in_rank_order(expressions.combine(ab, cd), 0));
    CHECK_FALSE(expressions.is_sum_in_rank_order(ab, 1));
    CHECK_FALSE(expressions.is_sum_in_rank_order(
        expressions.combine(ab, expressions.combine(c, expressions.leaf(3, 0))), 1));
  }
  SECTION("the canonical form ignores sides and keeps brackets") {
    const auto one = expressions.combine(ab, cd);
    const auto swapped = expressions.combine(expressions.combine(d, c), expressions.combine(b, a));
    const auto other = expressions.combine(expressions.combine(ab, c), d);
    CHECK(one != swapped);
    CHECK(expressions.canonical(one) == expressions.canonical(swapped));
    CHECK(expressions.canonical(one) != expressions.canonical(other));
  }
  SECTION("expressions have a text and leaves") {
    CHECK(expressions.text(expressions.combine(cd, ab), 1) == "x2 + x3 + (x0 + x1)");
    CHECK(expressions.text(ab, 0) == "x0[1] + x1[1]");
    CHECK(expressions.text(Expressions::kUndefined, 0) == "undefined");
    std::vector<Expressions::Value> leaves;
    expressions.leaves(expressions.combine(cd, ab), 3, leaves);
    CHECK(leaves == std::vector{c, d, a});
  }
  SECTION("pairs keep their numbers when many are added") {
    PairNumbers numbers;
    for (std::uint32_t i = 0; i < 5000; ++i) {
      REQUIRE(numbers.number({i, i / 3}) == i);
    }
    for (std::uint32_t i = 0; i < 5000; ++i) {
      REQUIRE(numbers.number({i, i / 3}) == i);
    }
  }
}

}  // namespace tutti::test_verify_order
