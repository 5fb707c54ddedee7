// Checks recursive doubling against its specification in [verification notes], property by
// property. The name of each test quotes the line of the specification that it checks.
#include <catch2/catch.hpp>

#include <set>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/verify/event_search.hpp"
#include "sim/critical_path/critical_path_engine.hpp"
#include "tests/schedules/verify_support.hpp"

namespace tutti::test_verify_recursive_doubling {

namespace {

Schedule recursive_doubling(std::uint32_t ranks, Fold fold = Fold::neighbours) {
  const Algorithm& algorithm = algorithm_named("allreduce/recursive_doubling");
  Problem problem = problem_for(algorithm, ranks);
  problem.fold = fold;
  return make_schedule(algorithm, problem);
}

constexpr std::uint32_t kPowersOfTwo[] = {2, 4, 8, 16, 32, 64};

template <typename Visit>
void for_each_message(const Schedule& schedule, Visit&& visit) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (schedule.op(id).is_comm()) {
      visit(id, schedule.op(id));
    }
  }
}

}  // namespace

TEST_CASE(
    "verification notes: 'Partner Finding: dst = rank ^ mask': the partner is the XOR of rank and "
    "mask") {
  for (const std::uint32_t p : kPowersOfTwo) {
    for_each_message(recursive_doubling(p), [](OpId, const Op& op) {
      CHECK(op.dst() == (op.src() ^ 1U << op.label().level));
    });
  }
}

TEST_CASE("verification notes: 'Simultaneous Exchange: Each pair sends/receives simultaneously'") {
  for (const std::uint32_t p : kPowersOfTwo) {
    const Schedule schedule = recursive_doubling(p);
    EventSearch search(schedule, 1'000'000'000);
    std::set<std::tuple<std::uint32_t, Rank, Rank>> messages;
    for_each_message(schedule, [&](OpId id, const Op& op) {
      const Label label = op.label();
      CHECK(messages.insert({label.level, op.src(), op.dst()}).second);
      // This message and the one in the opposite direction do not wait for each other at either
      // rank.
      for_each_message(schedule, [&](OpId other, const Op& back) {
        if (other < id && back.label() == label && back.src() == op.dst() &&
            back.dst() == op.src()) {
          const OpId candidate[] = {other};
          CHECK(search.unordered(id, op.src(), candidate).size() == 1);
          CHECK(search.unordered(id, op.dst(), candidate).size() == 1);
        }
      });
    });
    for (const auto& [level, src, dst] : messages) {
      CHECK(messages.count({level, dst, src}) == 1);
    }
  }
}

TEST_CASE("verification notes: 'Ordering Logic: Lower rank first for non-commutative operations'") {
  for (const std::uint32_t p : kPowersOfTwo) {
    const Schedule schedule = recursive_doubling(p);
    for (const Op& op : schedule.ops()) {
      if (op.kind() == OpKind::reduce) {
        const Rank partner = op.rank() ^ 1U << op.label().level;
        CHECK(op.from_is() == (partner < op.rank() ? Operand::left : Operand::right));
      }
    }
    CHECK(verify(schedule).order == OperandOrder::rank_order);
  }
  CHECK(combination_text(recursive_doubling(8), 5, 0) ==
        "x0 + x1 + (x2 + x3) + (x4 + x5 + (x6 + x7))");
}

TEST_CASE("verification notes: 'if (is_commutative ...)': what is received goes to the left") {
  const Algorithm& algorithm = algorithm_named("allreduce/recursive_doubling");
  for (std::uint32_t p = 2; p <= 17; ++p) {
    Problem problem = problem_for(algorithm, p);
    problem.operands = Operands::received_first;
    const Schedule schedule = make_schedule(algorithm, problem);
    for (const Op& op : schedule.ops()) {
      CHECK((op.kind() != OpKind::reduce || op.from_is() == Operand::left));
    }
    const Verdict verdict = verify(schedule);
    CHECK(verdict.proved());
    CHECK(verdict.order == OperandOrder::commutative_only);
    CHECK(verdict.bitwise_equal);
  }
  Problem problem = problem_for(algorithm, 4);
  problem.operands = Operands::received_first;
  const Schedule four = make_schedule(algorithm, problem);
  CHECK(combination_text(four, 0, 0) == "x3 + x2 + (x1 + x0)");
  CHECK(combination_text(four, 3, 0) == "x0 + x1 + (x2 + x3)");
}

TEST_CASE(
    "verification notes: 'Round Progression: mask doubles each round until mask >= comm_size'") {
  for (const std::uint32_t p : kPowersOfTwo) {
    const Schedule schedule = recursive_doubling(p);
    CHECK(schedule.rounds() == ceil_log2(p));
    std::vector<std::set<std::uint32_t>> masks(schedule.rounds());
    for_each_message(
        schedule, [&](OpId, const Op& op) { masks[op.label().level].insert(op.src() ^ op.dst()); });
    for (std::uint32_t round = 0; round < schedule.rounds(); ++round) {
      CHECK(masks[round] == std::set<std::uint32_t>{1U << round});
    }
    // Every rank sends one message in each round.
    CHECK(schedule.messages() == std::uint64_t{p} * schedule.rounds());
  }
}

TEST_CASE("verification notes: 'Consensus: All processes end with same value'") {
  for (const std::uint32_t p : kPowersOfTwo) {
    const Schedule schedule = recursive_doubling(p);
    const Verdict verdict = verify(schedule);
    CHECK(verdict.proved());
    CHECK(verdict.bitwise_equal);
    for (Rank rank = 1; rank < p; ++rank) {
      CHECK(combination_text(schedule, rank, 0) == combination_text(schedule, 0, 0));
    }
  }
}

TEST_CASE(
    "verification notes: 'Algorithm terminates': no event waits for itself, and one port is "
    "enough") {
  for (const std::uint32_t p : kPowersOfTwo) {
    const Schedule schedule = recursive_doubling(p);
    CHECK(verify(schedule).count(FindingKind::termination) == 0);
    // run() throws unless all operations finish.
    CriticalPathEngine engine({.alpha_s = 1, .beta_s_per_byte = 1, .gamma_s_per_byte = 1});
    CHECK_NOTHROW(engine.run(schedule, {.ports = 1}));
  }
}

TEST_CASE("verification notes: deferred 'Non-power-of-2 process counts (lines 54-81, 120-131)'") {
  for (std::uint32_t p = 1; p <= 64; ++p) {
    for (const Fold fold : {Fold::neighbours, Fold::far}) {
      CAPTURE(p);
      const Schedule schedule = recursive_doubling(p, fold);
      const Verdict verdict = verify(schedule);
      CHECK(verdict.proved());
      CHECK(verdict.bitwise_equal);
      const bool folded = (p & (p - 1)) != 0;
      CHECK(schedule.rounds() == (p == 1 ? 0 : floor_log2(p) + (folded ? 2 : 0)));
    }
  }
}

TEST_CASE(
    "verification notes: deferred 'In-place operations (MPI_IN_PLACE)': the input is never read or "
    "written") {
  for (std::uint32_t p = 1; p <= 16; ++p) {
    const Schedule schedule = recursive_doubling(p);
    for (const Op& op : schedule.ops()) {
      CHECK(op.from() != Buffer::input);
      CHECK(op.into() != Buffer::input);
    }
  }
}

}  // namespace tutti::test_verify_recursive_doubling
