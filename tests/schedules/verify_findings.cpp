// Plants a fault for each kind of finding and checks that it is found: a check that cannot fail is
// a defect.
#include <catch2/catch.hpp>

#include <array>

#include "tests/schedules/verify_support.hpp"

namespace tutti::test_verify_findings {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Texts = std::vector<std::string>;

namespace {

constexpr auto kWorkBuffer = Buffer::work;
constexpr auto kScratchBuffer = Buffer::scratch;

Schedule recursive_doubling(std::uint32_t ranks) {
  const Algorithm& algorithm = algorithm_named("allreduce/recursive_doubling");
  return make_schedule(algorithm, problem_for(algorithm, ranks));
}

// Returns the binomial tree exactly as [schedule document] prints it. There, a rank sends at every
// level, even if it has not received the data yet.
Schedule binomial_tree_as_written(std::uint32_t ranks) {
  ByHand hand(small_problem(Collective::bcast, ranks));
  std::uint32_t levels = 0;
  while (1U << levels < ranks) {
    ++levels;
  }
  // For each rank n, the operations that the document calls Req(l - 1, n).
  std::vector<std::vector<OpId>> last(ranks);
  for (std::uint32_t level = 0; level < levels; ++level) {
    const std::uint32_t mask = 1U << (levels - level - 1);
    std::vector<std::vector<OpId>> now(ranks);
    for (Rank n = 0; n + mask < ranks; ++n) {
      std::vector<OpId> after = last[n];
      after.insert(after.end(), last[n + mask].begin(), last[n + mask].end());
      const OpId id = hand.comm({level, 0}, n, n + mask, 0, kWorkBuffer, kWorkBuffer, after);
      now[n].push_back(id);
      now[n + mask].push_back(id);
    }
    for (Rank n = 0; n < ranks; ++n) {
      if (!now[n].empty()) {
        last[n] = now[n];
      }
    }
  }
  return hand.finish();
}

}  // namespace

TEST_CASE("a missing empty block is accepted, unless the whole vector is empty") {
  // Returns the verdict on a broadcast of `bytes` bytes in three blocks, the last of which has
  // `last` bytes. Rank 2 sends the last block to rank 1 without ever having received it.
  const auto made = [](std::uint64_t bytes, std::uint64_t last) {
    Problem problem = small_problem(Collective::bcast, 3);
    problem.bytes = bytes;
    problem.element_bytes = 1;
    const std::uint64_t first = (bytes - last) / 2;
    ScheduleBuilder builder(problem, BlockLayout::irregular({first, first, last}, 1));
    const OpId all = builder.comm({0}, 0, 1, {{0, 3}, kWork, kWork}, {});
    builder.comm({1}, 0, 2, {{0, 2}, kWork, kWork}, std::array{all});
    builder.comm({1}, 2, 1, {{2, 1}, kWork, kWork}, std::array{all});
    return verify(builder.finish());
  };
  CHECK(made(4, 0).proved());
  CHECK(made(5, 1).count(FindingKind::undefined_read) == 1);
  CHECK(made(5, 1).count(FindingKind::result) == 2);
  CHECK(made(0, 0).count(FindingKind::undefined_read) == 1);
}

TEST_CASE("fewer elements than blocks: forgetting a block with data is refused") {
  constexpr std::uint32_t kRanks = 4;
  constexpr std::uint32_t kFull = 2;  // blocks with bytes; the others are empty
  const auto problem_of = [](Collective collective) {
    return small_problem(collective, kRanks, kFull);
  };
  // If `forgotten` is kFull, no block is forgotten.
  for (std::uint32_t forgotten = 0; forgotten <= kFull; ++forgotten) {
    CAPTURE(forgotten);
    const std::size_t faults = forgotten < kFull ? 1 : 0;
    // Rank 0 sends each block to every rank, except that rank 3 does not get the forgotten block.
    ByHand bcast(problem_of(Collective::bcast), kRanks);
    for (Rank rank = 1; rank < kRanks; ++rank) {
      for (std::uint32_t block = 0; block < kFull; ++block) {
        if (rank < 3 || block != forgotten) {
          bcast.comm({rank, block}, 0, rank, block, kWorkBuffer, kWorkBuffer);
        }
      }
    }
    CHECK(verify(bcast.finish()).count(FindingKind::result) == faults);
    // Ranks 0 and 1 own a block each; the forgotten block lacks the contribution of rank 3.
    ByHand sum(problem_of(Collective::reduce_scatter), kRanks);
    for (Rank owner = 0; owner < kFull; ++owner) {
      std::vector<OpId> before;
      for (Rank rank = 0; rank < kRanks; ++rank) {
        if (rank != owner && (rank < 3 || owner != forgotten)) {
          const OpId sent =
              sum.comm({2 * rank, owner}, rank, owner, owner, kWorkBuffer, kScratchBuffer, before);
          before = {sum.reduce({2 * rank + 1, owner}, owner, owner, Operand::right, {sent})};
        }
      }
    }
    const Verdict verdict = verify(sum.finish());
    CHECK(verdict.count(FindingKind::result) == faults);
    CHECK(verdict.proved() == (faults == 0));
  }
}

TEST_CASE("the binomial tree as the schedule document writes it works on 2 ranks only") {
  CHECK(verify(binomial_tree_as_written(2)).proved());
  for (std::uint32_t ranks = 3; ranks <= 17; ++ranks) {
    CAPTURE(ranks);
    const Verdict verdict = verify(binomial_tree_as_written(ranks));
    CHECK_FALSE(verdict.proved());
    CHECK(verdict.count(FindingKind::undefined_read) > 0);
  }
  CHECK_THAT(texts(verify(binomial_tree_as_written(3)), FindingKind::undefined_read),
             Equals(Texts{"rank 1 sends block 0 of work to rank 2 in Req(<1,0>,{1,2}) but does not "
                          "hold it: Req(<1,0>,{0,1}) may bring it too late"}));
  // From 4 ranks on, the wrong message is in the first level.
  CHECK_THAT(texts(verify(binomial_tree_as_written(4)), FindingKind::undefined_read).front(),
             Equals("rank 1 sends block 0 of work to rank 3 in Req(<0,0>,{1,3}) but does not hold "
                    "it"));
}

TEST_CASE("an undefined read is reported where it happens, not where its consequences show") {
  ByHand hand(small_problem(Collective::bcast, 4));
  const OpId first = hand.comm({0, 0}, 1, 2, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({1, 0}, 2, 3, 0, kWorkBuffer, kWorkBuffer, {first});
  hand.comm({2, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer, {first});
  const Verdict verdict = verify(hand.finish());
  CHECK_THAT(texts(verdict, FindingKind::undefined_read),
             Equals(Texts{"rank 1 sends block 0 of work to rank 2 in Req(<0,0>,{1,2}) but does not "
                          "hold it"}));
  CHECK_THAT(texts(verdict, FindingKind::result),
             Equals(Texts{"rank 2 ends with nothing defined in block 0 of work, where block 0 of "
                          "rank 0's input belongs",
                          "rank 3 ends with nothing defined in block 0 of work, where block 0 of "
                          "rank 0's input belongs"}));
}

TEST_CASE("scratch is undefined until something is received there") {
  ByHand hand(small_problem(Collective::allreduce, 1));
  hand.reduce({0, 0}, 0, 0, Operand::left);
  const Verdict verdict = verify(hand.finish());
  CHECK_THAT(texts(verdict, FindingKind::undefined_read),
             Equals(Texts{"rank 0 reduces block 0 of scratch in Req(<0,0>,{0}) but does not hold "
                          "it"}));
  CHECK_THAT(texts(verdict, FindingKind::result),
             Equals(Texts{"rank 0 ends with block 0 of work undefined"}));
}

TEST_CASE("recursive doubling without a data dependency: the race is named") {
  const Schedule whole = recursive_doubling(4);
  // Drops each data dependency of each operation in turn.
  std::size_t dropped = 0;
  for (OpId id = 0; id < whole.size(); ++id) {
    for (const OpId before : whole.predecessors(id)) {
      if (edge_kind(whole, before, id) == EdgeKind::data) {
        const Verdict verdict = verify(without_dependency(whole, id, before));
        CAPTURE(id, before, all_texts(verdict));
        CHECK_FALSE(verdict.proved());
        CHECK(verdict.count(FindingKind::race) > 0);
        ++dropped;
      }
    }
  }
  CHECK(dropped > 8);

  OpId reduce = 0;
  while (whole.op(reduce).kind() != OpKind::reduce || whole.op(reduce).rank() != 1) {
    ++reduce;
  }
  OpId receive = 0;
  while (!whole.op(receive).is_comm() || whole.op(receive).dst() != 1) {
    ++receive;
  }
  const Verdict verdict = verify(without_dependency(whole, reduce, receive));
  CHECK_THAT(texts(verdict, FindingKind::race).front(),
             Equals("at rank 1, Req(<0,0>,{0,1}) writes and Req(<0,0>,{1}) reads block 0 of "
                    "scratch, and nothing orders them; let Req(<0,0>,{1}) come after "
                    "Req(<0,0>,{0,1})"));
  CHECK_THAT(texts(verdict, FindingKind::undefined_read).front(),
             Equals("rank 1 reduces block 0 of scratch in Req(<0,0>,{1}) but does not hold it: "
                    "Req(<0,0>,{0,1}) may bring it too late"));
}

TEST_CASE("the dependency suggested for a race removes the race") {
  ByHand broken(small_problem(Collective::bcast, 3));
  broken.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  broken.comm({1, 0}, 1, 2, 0, kWorkBuffer, kWorkBuffer);
  const Verdict verdict = verify(broken.finish());
  CHECK_THAT(
      texts(verdict, FindingKind::race),
      Equals(Texts{"at rank 1, Req(<0,0>,{0,1}) writes and Req(<1,0>,{1,2}) reads block 0 of "
                   "work, and nothing orders them; let Req(<1,0>,{1,2}) come after "
                   "Req(<0,0>,{0,1})"}));
  ByHand mended(small_problem(Collective::bcast, 3));
  const OpId first = mended.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  mended.comm({1, 0}, 1, 2, 0, kWorkBuffer, kWorkBuffer, {first});
  CHECK(verify(mended.finish()).proved());
}

TEST_CASE("two messages into the same block race even if both bring the same data") {
  ByHand hand(small_problem(Collective::bcast, 3));
  const OpId first = hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({1, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({1, 0}, 1, 2, 0, kWorkBuffer, kWorkBuffer, {first});
  const Verdict verdict = verify(hand.finish());
  CHECK_THAT(texts(verdict, FindingKind::race).front(),
             Contains("Req(<1,0>,{0,2}) writes and Req(<1,0>,{1,2}) writes block 0 of work"));
}

TEST_CASE("different kinds of wrong sums are distinguished") {
  const auto summed = [](std::uint32_t ranks, const std::vector<Rank>& senders) {
    ByHand hand(small_problem(Collective::reduce, ranks));
    std::vector<OpId> after;
    for (const Rank sender : senders) {
      const OpId id = hand.comm({0, sender}, sender, 0, 0, kWorkBuffer, kScratchBuffer, after);
      after = {hand.reduce({0, sender}, 0, 0, Operand::right, {id})};
    }
    return verify(hand.finish());
  };
  CHECK(summed(3, {1, 2}).proved());
  CHECK(summed(3, {1, 2}).order == OperandOrder::rank_order);
  CHECK(summed(3, {2, 1}).proved());
  CHECK(summed(3, {2, 1}).order == OperandOrder::commutative_only);
  CHECK_THAT(texts(summed(3, {1}), FindingKind::result),
             Equals(Texts{"rank 0 ends without the contribution of rank 2 in block 0 of work"}));
  CHECK_THAT(texts(summed(3, {1, 2, 1}), FindingKind::result),
             Equals(Texts{"rank 0 ends with the contribution of rank 1 twice in block 0 of work"}));
  CHECK(summed(3, {1, 1}).order == OperandOrder::none);

  // The message stores block 1 of rank 1 in block 0 of rank 0's scratch.
  ScheduleParts parts;
  parts.problem = small_problem(Collective::reduce, 2, 2);
  parts.layout = BlockLayout::even(2, 2, 8);
  const OpId id = parts.add({OpKind::comm, 1, 0, 8, {}, kWorkBuffer, kScratchBuffer, {}, false},
                            {{1, 1, 0, 0}, 0}, {});
  parts.add({OpKind::reduce, 0, 0, 8, {}, kScratchBuffer, kWorkBuffer, Operand::right, false},
            {{0, 1, 0, 0}, 0}, {id});
  CHECK_THAT(texts(verify(assemble(parts)), FindingKind::result).front(),
             Equals("rank 0 ends with a contribution of rank 1 to block 1 in block 0 of work"));
}

TEST_CASE("different kinds of wrong copies are distinguished") {
  ByHand hand(small_problem(Collective::allgather, 2, 2), 2);
  hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  CHECK_THAT(texts(verify(hand.finish()), FindingKind::result),
             Equals(Texts{"rank 0 ends with nothing defined in block 1 of work, where block 1 of "
                          "rank 1's input belongs"}));
  ScheduleParts parts;
  parts.problem = small_problem(Collective::allgather, 2, 2);
  parts.layout = BlockLayout::even(2, 2, 8);
  parts.add({OpKind::comm, 0, 1, 8, {}, kWorkBuffer, kWorkBuffer, {}, false}, {{0, 1, 0, 0}, 0},
            {});
  parts.add({OpKind::copy, 0, 0, 8, {}, kWorkBuffer, kWorkBuffer, {}, false}, {{0, 1, 0, 0}, 1},
            {});
  CHECK_THAT(texts(verify(assemble(parts)), FindingKind::result),
             Equals(Texts{"rank 0 ends with block 0 of rank 0's input in block 1 of work, where "
                          "block 1 of rank 1's input belongs"}));
}

TEST_CASE("a barrier that a rank leaves too early is found") {
  ByHand good(small_problem(Collective::barrier, 3));
  const OpId a = good.comm({0, 0}, 1, 0, 0, kWorkBuffer, kWorkBuffer);
  const OpId b = good.comm({0, 0}, 2, 0, 0, kWorkBuffer, kWorkBuffer);
  good.comm({1, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer, {a, b});
  good.comm({1, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer, {a, b});
  const Verdict right = verify(good.finish());
  CHECK(right.proved());
  CHECK(right.order == OperandOrder::none);

  ByHand bad(small_problem(Collective::barrier, 3));
  const OpId c = bad.comm({0, 0}, 1, 0, 0, kWorkBuffer, kWorkBuffer);
  const OpId d = bad.comm({0, 0}, 2, 0, 0, kWorkBuffer, kWorkBuffer);
  bad.comm({1, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer, {c});
  bad.comm({1, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer, {c, d});
  CHECK_THAT(texts(verify(bad.finish()), FindingKind::result),
             Equals(Texts{"rank 1 may leave the barrier before rank 2 has entered it"}));
}

TEST_CASE("a barrier's sender learns nothing from the end of its own message") {
  // In the DAG, the second message comes after the first, in which rank 1 takes part. But the end
  // of a send tells the sender nothing about the receiver.
  ByHand hand(small_problem(Collective::barrier, 2));
  const OpId first = hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({1, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer, {first});
  CHECK_THAT(texts(verify(hand.finish()), FindingKind::result),
             Equals(Texts{"rank 0 may leave the barrier before rank 1 has entered it"}));
}

TEST_CASE("a dependency without a shared rank is reported, and orders nothing") {
  ByHand hand(small_problem(Collective::bcast, 4));
  const OpId first = hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  const OpId second = hand.comm({1, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({2, 0}, 1, 3, 0, kWorkBuffer, kWorkBuffer, {first, second});
  const Verdict verdict = verify(hand.finish());
  CHECK_FALSE(verdict.proved());
  CHECK(verdict.count(FindingKind::race) == 0);
  CHECK(verdict.redundant_dependencies == 0);
  CHECK_THAT(texts(verdict, FindingKind::locality),
             Equals(Texts{"Req(<2,0>,{1,3}) comes after Req(<1,0>,{0,2}), but no rank takes part "
                          "in both, so no MPI rank could wait for it; connect them by a chain of "
                          "operations that ends at rank 1 or 3"}));
}

TEST_CASE("a search that exceeds its budget leaves the schedule unproved") {
  ByHand hand(small_problem(Collective::bcast, 3));
  hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({1, 0}, 1, 2, 0, kWorkBuffer, kWorkBuffer);
  VerifyOptions options;
  options.search_budget = 0;
  const Verdict verdict = verify(hand.finish(), options);
  CHECK_FALSE(verdict.proved());
  CHECK(verdict.count(FindingKind::race) == 0);
  CHECK_THAT(texts(verdict, FindingKind::undecided),
             Equals(Texts{"at rank 1 the order of Req(<0,0>,{0,1}) and Req(<1,0>,{1,2}) is "
                          "undecided: the search exceeded its limit"}));
}

TEST_CASE("claims are compared one by one, and do not affect the proof") {
  const Schedule schedule = recursive_doubling(4);
  VerifyOptions options;
  options.claims = {.keeps_order = true,
                    .rounds = 2,
                    .messages = 8,
                    .bytes_sent = schedule.bytes_sent(),
                    .bytes_reduced = schedule.bytes_reduced()};
  CHECK(verify(schedule, options).claims_hold());
  options.claims = {
      .keeps_order = false, .rounds = 3, .messages = 9, .bytes_sent = 1, .bytes_reduced = 2};
  options.findings_per_kind = 9;
  const Verdict verdict = verify(schedule, options);
  CHECK(verdict.proved());
  CHECK_FALSE(verdict.claims_hold());
  const char* const in_order =
      "it is declared correct only for operators that commute, but every block is combined in rank "
      "order";
  CHECK_THAT(texts(verdict, FindingKind::claim),
             Equals(Texts{"3 round(s) declared, but the schedule has 2",
                          "9 message(s) declared, but the schedule has 8",
                          "1 byte(s) sent declared, but the schedule has 2048",
                          "2 byte(s) reduced declared, but the schedule has 2048", in_order}));
}

TEST_CASE("all findings are counted and the first few are described") {
  ByHand hand(small_problem(Collective::bcast, 64));
  for (Rank rank = 1; rank + 1 < 64; ++rank) {
    hand.comm({rank, 0}, rank, rank + 1, 0, kWorkBuffer, kWorkBuffer);
  }
  const Verdict verdict = verify(hand.finish());
  CHECK(verdict.count(FindingKind::undefined_read) == 62);
  CHECK(texts(verdict, FindingKind::undefined_read).size() == 3);
  CHECK_THAT(texts(verdict, FindingKind::undefined_read).front(), Contains("rank 1 sends"));
}

TEST_CASE("blocks written and never read are counted") {
  ByHand hand(small_problem(Collective::bcast, 2));
  const OpId first = hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kScratchBuffer);
  const OpId second = hand.comm({1, 0}, 0, 1, 0, kWorkBuffer, kScratchBuffer, {first});
  const OpId last = hand.copy({2, 0}, 1, 0, kScratchBuffer, kWorkBuffer, {second});
  hand.copy({3, 0}, 1, 0, kWorkBuffer, kScratchBuffer, {last});
  const Verdict verdict = verify(hand.finish());
  CHECK(verdict.proved());
  CHECK(verdict.unread_writes == 2);  // the first message, and the last copy
}

}  // namespace tutti::test_verify_findings
