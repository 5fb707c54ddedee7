#include "tests/schedules/explore/examples.hpp"

#include <stdexcept>
#include <utility>

namespace tutti::explore {

namespace {

constexpr Place kScratch1{Buffer::scratch, 1};
constexpr Place kScratch2{Buffer::scratch, 2};

using After = std::vector<std::uint32_t>;

// Rank x sends a block to y (message P). After P, z sends a block to y (B), and after B a block to
// x that overwrites what P reads (C). Every dependency joins two operations that share a rank, and
// the DAG orders P before C. But the draft is wrong on MPI, where z does not know that P has ended.
constexpr Rank kX = 0;
constexpr Rank kY = 1;
constexpr Rank kZ = 2;

Draft three_messages(const After& c_after) {
  Draft made = empty_draft(Collective::gather, 3, 3, kY);
  made.comm(kX, kY, kWork, kWork, {{0, 0}});       // operation 0 is P
  made.comm(kZ, kY, kWork, kWork, {{2, 2}}, {0});  // operation 1 is B
  made.comm(kZ, kX, kWork, kWork, {{2, 0}}, c_after);
  return made;
}

// Like three_messages(), but C comes after a fourth message instead of after B. The fourth message
// is sent from `told_from` to `told_to`, and comes after `told_after`.
Draft triangle(Rank told_from, Rank told_to, const After& told_after) {
  Draft made = empty_draft(Collective::gather, 3, 3, kY);
  made.comm(kX, kY, kWork, kWork, {{0, 0}});  // operation 0 is P
  made.comm(told_from, told_to, kWork, kScratch, {{told_from, 0}}, told_after);
  made.comm(kZ, kY, kWork, kWork, {{2, 2}});
  made.comm(kZ, kX, kWork, kWork, {{2, 0}}, {1});
  return made;
}

// Rank 0 adds up the messages of ranks 1 and 2. Operations 0 and 2 are the messages, and 1 and 3
// are their reductions. The second message is stored in `second` and comes after `second_after`;
// its reduction comes after `last_after`.
Draft two_contributions(Place second, const After& second_after, const After& last_after,
                        Operand side = Operand::right) {
  Draft made = empty_draft(Collective::reduce, 3, 1);
  made.comm(1, 0, kWork, kScratch, {{0, 0}});
  made.reduce(0, kScratch, kWork, side, {{0, 0}}, {0});
  made.comm(2, 0, kWork, second, {{0, 0}}, second_after);
  made.reduce(0, second, kWork, side, {{0, 0}}, last_after);
  return made;
}

// Ranks 0 and 1 exchange and combine their vectors. Operations 0 and 1 are the messages. The
// reduction at rank 0 comes after `at_0`, and the reduction at rank 1 after `at_1`.
Draft exchange(const After& at_0, const After& at_1) {
  Draft made = empty_draft(Collective::allreduce, 2, 1);
  made.comm(0, 1, kWork, kScratch, {{0, 0}});
  made.comm(1, 0, kWork, kScratch, {{0, 0}});
  made.reduce(0, kScratch, kWork, Operand::right, {{0, 0}}, at_0);
  made.reduce(1, kScratch, kWork, Operand::left, {{0, 0}}, at_1);
  return made;
}

Draft overlapping_receives(bool ordered, bool same_value) {
  Draft made = empty_draft(Collective::bcast, 3, 2);
  made.comm(0, 1, kWork, kWork, {{0, 0}, {1, 1}});
  made.comm(0, 2, kWork, kScratch, {{0, 0}, {1, 1}});
  const BlockPair again{same_value ? 1U : 0U, 1};
  if (ordered) {
    made.comm(2, 1, kScratch, kScratch, {{0, 0}, {1, 1}}, {1});
    made.comm(2, 1, kScratch, kWork, {again}, {0, 1});
  } else {
    made.comm(2, 1, kScratch, kWork, {again}, {1});
  }
  made.comm(0, 2, kWork, kWork, {{0, 0}, {1, 1}});
  return made;
}

Draft relay(const After& passed_on_after, Buffer through) {
  Draft made = empty_draft(Collective::bcast, 3, 1);
  const Place place{through, 0};
  made.comm(0, 1, kWork, place, {{0, 0}});
  made.comm(1, 2, place, kWork, {{0, 0}}, passed_on_after);
  if (through == Buffer::scratch) {
    made.copy(1, place, kWork, {{0, 0}}, {0});
  }
  return made;
}

// Rank 1 forwards the blocks of ranks 0 and 3 to rank 2 through one scratch slot. The message from
// rank 3 comes after `second_after`. The number after a statement is the id of its operation.
Draft reused_scratch(const After& second_after) {
  Draft made = empty_draft(Collective::gather, 4, 4, 2);
  made.comm(0, 1, kWork, kScratch, {{0, 0}});                // 0
  made.comm(1, 2, kScratch, kWork, {{0, 0}}, {0});           // 1
  made.comm(3, 1, kWork, kScratch, {{3, 0}}, second_after);  // 2
  made.comm(1, 2, kScratch, kWork, {{0, 3}}, {2});           // 3
  made.comm(1, 2, kWork, kWork, {{1, 1}});
  return made;
}

Draft swapped_contents(const After& back_after) {
  // An alltoall of two ranks: each sends a block and replaces it by the block that it receives.
  // Rank 1 receives into scratch first. The message from rank 1 comes after `back_after`.
  Draft made = empty_draft(Collective::alltoall, 2, 2);
  made.copy(0, kInput, kWork, {{0, 0}, {1, 1}});
  made.copy(1, kInput, kWork, {{0, 0}, {1, 1}});
  made.comm(0, 1, kWork, kScratch, {{1, 1}}, {0, 1});
  made.comm(1, 0, kWork, kWork, {{1, 1}}, back_after);
  made.copy(1, kScratch, kWork, {{1, 1}}, {2, 3});
  return made;
}

// Ranks 1 and 2 send a message to rank 0, which answers both. The answers come after
// `answer_after`.
Draft barrier(const After& answer_after) {
  Draft made = empty_draft(Collective::barrier, 3, 1);
  made.comm(1, 0, kWork, kScratch, {{0, 0}});
  made.comm(2, 0, kWork, kScratch, {{0, 0}});
  made.comm(0, 1, kWork, kScratch, {{0, 0}}, answer_after);
  made.comm(0, 2, kWork, kScratch, {{0, 0}}, answer_after);
  return made;
}

Draft signs(const std::vector<std::pair<Rank, Rank>>& messages) {
  Draft made = empty_draft(Collective::barrier, 2, 1);
  for (const auto& [from, to] : messages) {
    made.comm(from, to, kWork, kScratch, {{0, 0}});
  }
  return made;
}

// Rank 2 gets the same value from rank 0 and from rank 1. The message from rank 1 comes after
// `second_after`.
Draft overtaking(const After& second_after) {
  Draft made = empty_draft(Collective::bcast, 3, 1);
  made.comm(0, 1, kWork, kWork, {{0, 0}});
  made.comm(0, 2, kWork, kWork, {{0, 0}});
  made.comm(1, 2, kWork, kWork, {{0, 0}}, second_after);
  return made;
}

}  // namespace

Draft empty_draft(Collective collective, std::uint32_t ranks, std::uint32_t blocks, Rank root) {
  Draft made;
  made.problem.collective = collective;
  made.problem.ranks = ranks;
  made.problem.root = root;
  made.problem.bytes = std::uint64_t{8} * blocks;
  made.layout = BlockLayout::even(blocks, blocks, 8);
  return made;
}

std::vector<Example> examples() {
  std::vector<Example> all;
  const auto add = [&](std::string name, Draft made, bool ordered, bool safe, bool races) {
    all.push_back({std::move(name), std::move(made), ordered, safe, races});
  };
  add("three messages", three_messages({1}), true, false, true);
  add("three messages, C after P too", three_messages({0, 1}), true, true, false);
  add("three messages, C after P only", three_messages({0}), true, true, false);
  add("three messages, C without dependencies", three_messages({}), true, false, true);
  // y tells z that P has ended, and z then overwrites the source of P, though x never waited for P.
  // This is safe: P has ended at its receiver, so its source has been read.
  add("triangle: y tells z that P is over", triangle(kY, kZ, {0}), true, true, false);
  add("triangle: y tells z something else", triangle(kY, kZ, {}), true, false, true);
  add("triangle: y tells x that P is over", triangle(kY, kX, {0}), true, true, false);
  add("triangle: x tells z that P is over", triangle(kX, kZ, {0}), true, true, false);
  add("triangle: x tells z something else", triangle(kX, kZ, {}), true, false, true);
  add("scratch filled again too early", two_contributions(kScratch, {}, {1, 2}), true, false, true);
  add("scratch filled again after its message, before its reduction",
      two_contributions(kScratch, {0}, {1, 2}), true, false, true);
  add("scratch filled again after its reduction", two_contributions(kScratch, {1}, {1, 2}), true,
      true, false);
  add("a scratch for each message", two_contributions(kScratch1, {}, {1, 2}), true, true, false);
  add("a scratch for each message, reductions in any order", two_contributions(kScratch1, {}, {2}),
      true, false, true);
  // Each of the two possible sums has every contribution once, but they are rounded differently.
  add("a scratch for each message, commuting reductions in any order",
      two_contributions(kScratch1, {}, {2}), false, false, true);
  add("operands on the wrong side", two_contributions(kScratch1, {}, {1, 2}, Operand::left), true,
      false, false);
  add("operands on the wrong side of one that commutes",
      two_contributions(kScratch1, {}, {1, 2}, Operand::left), false, true, false);
  add("a reduction before its message", two_contributions(kScratch, {1}, {1}), true, false, true);
  add("exchange", exchange({0, 1}, {0, 1}), true, true, false);
  add("exchange, rank 0 reduces into data that it may still be sending", exchange({1}, {0, 1}),
      true, false, true);
  add("exchange, rank 1 reduces before it has received", exchange({0, 1}, {1}), true, false, true);
  add("exchange without dependencies", exchange({}, {}), true, false, true);
  add("two receives into one block", overlapping_receives(false, false), true, false, true);
  add("two receives into one block, one after the other, the second wrong",
      overlapping_receives(true, false), true, false, false);
  add("two receives into one block, one after the other, the second right",
      overlapping_receives(true, true), true, true, false);
  add("forwarded after it was received", relay({0}, Buffer::work), true, true, false);
  add("forwarded before it was received", relay({}, Buffer::work), true, false, true);
  add("forwarded through scratch", relay({0}, Buffer::scratch), true, true, false);
  add("forwarded through scratch too early", relay({}, Buffer::scratch), true, false, true);
  add("scratch reused after it was forwarded", reused_scratch({1}), true, true, false);
  add("scratch reused after it was filled, before it was forwarded", reused_scratch({0}), true,
      false, true);
  add("scratch reused at once", reused_scratch({}), true, false, true);
  add("swapped blocks", swapped_contents({0, 1, 2}), true, true, false);
  add("swapped blocks, one overwritten before it was sent", swapped_contents({1}), true, false,
      true);
  add("swapped blocks, one direction after the other", swapped_contents({1, 2}), true, true, false);
  add("barrier of two ranks", signs({{0, 1}, {1, 0}}), true, true, false);
  // A send that waits for its receiver would tell rank 0 that rank 1 has entered; an eager send
  // does not.
  add("barrier of two ranks, only one is notified", signs({{0, 1}}), true, false, false);
  add("barrier of two ranks, one is notified twice", signs({{0, 1}, {1, 0}, {0, 1}}), true, true,
      false);
  add("barrier", barrier({0, 1}), true, true, false);
  add("barrier that waits for one rank", barrier({0}), true, false, false);
  add("barrier that waits for no rank", barrier({}), true, false, false);
  add("the same value twice, one after the other", overtaking({0, 1}), true, true, false);
  add("the same value twice, in any order", overtaking({0}), true, true, true);
  {
    // One operation reads all its blocks before it writes any.
    Draft made = empty_draft(Collective::bcast, 2, 3);
    made.copy(0, kWork, kWork, {{0, 1}, {1, 2}, {2, 0}});
    made.copy(0, kWork, kWork, {{1, 0}, {2, 1}, {0, 2}}, {0});
    made.comm(0, 1, kWork, kWork, {{0, 0}, {1, 1}, {2, 2}}, {1});
    add("rotated in place, and back", made, true, true, false);
  }
  {
    Draft made = empty_draft(Collective::bcast, 3, 1);
    made.comm(1, 2, kWork, kWork, {{0, 0}});
    made.comm(0, 1, kWork, kWork, {{0, 0}}, {0});
    add("sent before it is received", made, true, false, false);
  }
  {
    Draft made = empty_draft(Collective::bcast, 2, 1);
    made.comm(1, 0, kScratch, kScratch, {{0, 0}});
    made.comm(0, 1, kWork, kWork, {{0, 0}});
    add("an undefined value that is not used", made, true, false, false);
  }
  {
    // Rank 0 adds up the blocks of ranks 1 and 2, then sends the sum to both.
    Draft made = empty_draft(Collective::allreduce, 3, 1);
    made.comm(1, 0, kWork, kScratch, {{0, 0}});
    made.comm(2, 0, kWork, kScratch1, {{0, 0}});
    made.reduce(0, kScratch, kWork, Operand::right, {{0, 0}}, {0});
    made.reduce(0, kScratch1, kWork, Operand::right, {{0, 0}}, {1, 2});
    made.comm(0, 1, kWork, kWork, {{0, 0}}, {0, 3});
    made.comm(0, 2, kWork, kWork, {{0, 0}}, {1, 3});
    add("sum at rank 0, then sent to all", made, true, true, false);
    made.ops[5].after = {3};
    add("sum sent to a rank that may still be sending its part, which was reduced", made, true,
        true, false);
    made.ops[5].after = {1};
    add("sum sent before it is complete", made, true, false, true);
  }
  {
    Draft made = empty_draft(Collective::barrier, 3, 1);
    made.comm(0, 1, kWork, kScratch, {{0, 0}}, {1});
    made.comm(1, 2, kWork, kScratch1, {{0, 0}}, {2});
    made.comm(2, 0, kWork, kScratch2, {{0, 0}}, {0});
    add("a cycle", made, true, false, false);
  }
  return all;
}

Example example(const std::string& name) {
  for (Example& candidate : examples()) {
    if (candidate.name == name) {
      return candidate;
    }
  }
  throw std::invalid_argument("no example named " + name);
}

}  // namespace tutti::explore
