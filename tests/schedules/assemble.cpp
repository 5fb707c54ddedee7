// Tests schedules assembled from their parts, including parts that the builder refuses but a file
// may contain.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "tests/schedules/served_ranks.hpp"
#include "tests/schedules/verify_support.hpp"

namespace tutti::test_assemble {

using Catch::Matchers::Equals;

namespace {

constexpr auto kWorkBuffer = Buffer::work;

// Returns a schedule with one message, of block 0 from rank 0 to rank 1. The tests make it invalid
// in different ways.
ScheduleParts one_message() {
  ScheduleParts parts;
  parts.problem = small_problem(Collective::bcast, 3, 4);
  parts.layout = BlockLayout::irregular({1, 1, 2, 0}, 8);
  parts.add({OpKind::comm, 0, 1, 8, {}, kWorkBuffer, kWorkBuffer, {}, false}, {{0, 1, 0, 0}, 0},
            {});
  return parts;
}

std::string complaint(const ScheduleParts& parts) {
  try {
    static_cast<void>(assemble(parts));
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "none";
}

std::string complaint(const Op& op, const Payload& payload) {
  ScheduleParts parts = one_message();
  parts.ops[0] = op;
  parts.payloads[0] = payload;
  return complaint(parts);
}

}  // namespace

TEST_CASE("a schedule taken apart and assembled again is the same") {
  for (const Algorithm* algorithm : algorithms()) {
    const Schedule schedule =
        make_schedule(*algorithm, problem_for(*algorithm, served_ranks(*algorithm, 7)));
    const Schedule again = assemble(parts_of(schedule));
    CAPTURE(algorithm->full_name());
    REQUIRE(again.size() == schedule.size());
    CHECK(again.scratch_slots() == schedule.scratch_slots());
    CHECK(again.rounds() == schedule.rounds());
    CHECK(again.pooled_ops() == schedule.pooled_ops());
    CHECK(again.bytes_sent() == schedule.bytes_sent());
    CHECK(again.bytes_reduced() == schedule.bytes_reduced());
    for (OpId id = 0; id < schedule.size(); ++id) {
      CHECK(again.op(id) == schedule.op(id));
      CHECK(again.payload(id) == schedule.payload(id));
      CHECK_THAT(std::vector<OpId>(again.predecessors(id).begin(), again.predecessors(id).end()),
                 Equals(std::vector<OpId>(schedule.predecessors(id).begin(),
                                          schedule.predecessors(id).end())));
      CHECK_THAT(std::vector<OpId>(again.successors(id).begin(), again.successors(id).end()),
                 Equals(std::vector<OpId>(schedule.successors(id).begin(),
                                          schedule.successors(id).end())));
    }
  }
}

// The proof relies on this property, because the proof identifies a block by its number, wherever
// the block is stored.
TEST_CASE("every algorithm moves blocks only to places of equal size") {
  for (const Algorithm* algorithm : algorithms()) {
    CAPTURE(algorithm->full_name());
    for (const std::uint32_t ranks : {2U, 5U, 7U, 8U}) {
      for (const std::uint64_t elements : {1U, 3U, 7U, 19U}) {
        CAPTURE(ranks, elements);
        const Problem problem = problem_of(*algorithm, ranks, elements);
        if (!refuses(*algorithm, problem)) {
          CHECK_NOTHROW(assemble(parts_of(make_schedule(*algorithm, problem))));
        }
      }
    }
  }
}

TEST_CASE("a swap of blocks of different sizes is refused even if their total sizes agree") {
  // If this swap of blocks of 8 and 0 bytes were accepted, the proof would count a copy that never
  // happens.
  ScheduleParts parts = one_message();
  parts.problem.bytes = 16;
  parts.layout = BlockLayout::irregular({1, 0, 1}, 8);
  parts.ops[0] = {OpKind::copy, 0, 0, 8, {}, kWorkBuffer, kWorkBuffer, {}, true};
  parts.pool = {{0, 1}, {1, 0}};
  parts.payloads[0] = {{0, 2, 0, 0}, 0};
  CHECK(complaint(parts) ==
        "Req(<0,0>,{0,0}): block 0 (8 bytes) goes to block 1 (0 bytes); the sizes must agree");
}

TEST_CASE("operations may come in any order, and keep it where possible") {
  ByHand hand(small_problem(Collective::bcast, 4));
  hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer, {2});
  hand.comm({1, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({2, 0}, 0, 3, 0, kWorkBuffer, kWorkBuffer, {1, 1});
  const Schedule schedule = hand.finish();
  REQUIRE(schedule.size() == 3);
  CHECK(schedule.op(0).dst() == 2);
  CHECK(schedule.op(1).dst() == 3);
  CHECK(schedule.op(2).dst() == 1);
  CHECK(schedule.predecessors(2)[0] == 1);
  CHECK(schedule.predecessors(1).size() == 1);  // the repeated dependency counts once
  CHECK(verify(schedule).proved());
}

TEST_CASE("a cycle is reported with its labels") {
  ByHand hand(small_problem(Collective::bcast, 4));
  hand.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer);
  hand.comm({1, 0}, 0, 2, 0, kWorkBuffer, kWorkBuffer, {0, 2});
  hand.comm({2, 0}, 0, 3, 0, kWorkBuffer, kWorkBuffer, {1});
  hand.comm({3, 0}, 3, 1, 0, kWorkBuffer, kWorkBuffer, {2});
  CHECK_THROWS_WITH(hand.finish(),
                    "a cycle: Req(<1,0>,{0,2}) after Req(<2,0>,{0,3}) after Req(<1,0>,{0,2})");
  ByHand itself(small_problem(Collective::bcast, 2));
  itself.comm({0, 0}, 0, 1, 0, kWorkBuffer, kWorkBuffer, {0});
  CHECK_THROWS_WITH(itself.finish(), "a cycle: Req(<0,0>,{0,1}) after Req(<0,0>,{0,1})");
}

TEST_CASE("an access outside the arrays is refused, with the operation's label") {
  CHECK(complaint(one_message()) == "none");
  const Payload block_0{{0, 1, 0, 0}, 0};
  const auto message = [](Rank src, Rank dst, std::uint64_t bytes) {
    return Op{OpKind::comm, src, dst, bytes, {}, kWorkBuffer, kWorkBuffer, Operand::left, false};
  };
  CHECK(complaint(message(0, 3, 8), block_0) == "Req(<0,0>,{0,3}): the ranks are 0 to 2");
  CHECK(complaint(message(1, 1, 8), block_0) ==
        "Req(<0,0>,{1,1}): a message needs two ranks; for a local move write Copy");
  CHECK(complaint({OpKind::reduce, 0, 1, 8, {}, kWorkBuffer, kWorkBuffer, {}, false}, block_0) !=
        "none");
  CHECK(complaint({OpKind::comm, 0, 1, 8, {}, kWorkBuffer, Buffer::input, {}, false}, block_0) ==
        "Req(<0,0>,{0,1}): input is never written");
  CHECK(complaint(message(0, 1, 8), {{4, 1, 0, 0}, 0}) ==
        "Req(<0,0>,{0,1}): block 4 is outside its buffer of 4 blocks");
  CHECK(complaint(message(0, 1, 8), {{0, 1, 0, 0}, 4}) ==
        "Req(<0,0>,{0,1}): block 4 is outside its buffer of 4 blocks");
  CHECK(complaint(message(0, 1, 8), {{0, 5, 0, 0}, 0}) ==
        "Req(<0,0>,{0,1}): 5 blocks: must be 1 to 4");
  CHECK(complaint(message(0, 1, 16), {{0, 2, 0, 0}, 1}) ==
        "Req(<0,0>,{0,1}): it has 16 bytes, but the blocks that it reads hold 16, and "
        "those that it writes hold 24");
  CHECK(complaint(message(0, 1, 16), {{0, 2, 0, 0}, 2}) ==
        "Req(<0,0>,{0,1}): block 0 (8 bytes) goes to block 2 (16 bytes); the sizes must agree");
  CHECK(complaint(message(0, 1, 9), block_0) ==
        "Req(<0,0>,{0,1}): it has 9 bytes, but the blocks that it reads hold 8, and "
        "those that it writes hold 8");
  CHECK(complaint(message(0, 1, 16), {{0, 4, 2, 1}, 0}) ==
        "Req(<0,0>,{0,1}): it uses the same block twice");
  CHECK(complaint({OpKind::comm, 0, 1, 8, {}, kWorkBuffer, kWorkBuffer, {}, true}, block_0) ==
        "Req(<0,0>,{0,1}): its list of blocks is empty or does not exist");

  ScheduleParts unknown = one_message();
  unknown.dependencies.push_back(7);
  unknown.rows.back() = 1;
  CHECK(complaint(unknown) == "Req(<0,0>,{0,1}) comes after operation 7, which does not exist");
  ScheduleParts root = one_message();
  root.problem.root = 3;
  CHECK(complaint(root) == "root 3 is not one of the 3 ranks, 0 to 2");
  ScheduleParts parts = one_message();
  parts.problem.collective = Collective::allgather;
  CHECK(complaint(parts) ==
        "4 blocks on 3 ranks: in allgather, every rank owns the same number of blocks, so the "
        "number of blocks must be a multiple of 3");
}

}  // namespace tutti::test_assemble
