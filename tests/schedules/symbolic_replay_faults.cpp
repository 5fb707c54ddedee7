// Plants each kind of fault by hand and checks that the replay finds and names it: a check that
// cannot fail proves nothing.
#include <catch2/catch.hpp>

#include "schedules/builder.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/schedules/symbolic_replay.hpp"

namespace tutti::test_symbolic_replay_faults {

namespace {

constexpr BlockSet kFirst{0, 1};
constexpr BlockSet kSecond{1, 1};

// A correct allreduce of 2 ranks and 2 blocks by exchange. The tests change one member to break it.
struct Exchange {
  ScheduleBuilder builder{problem_of(Collective::allreduce, 2, 2), 2};
  Move there{{0, 2}, kWork, kScratch};
  Move back{{0, 2}, kWork, kScratch};
  Move combine{{0, 2}, kScratch, kWork};
  int combines_at_1 = 1;

  std::string fault() {
    const OpId a = builder.comm({}, 0, 1, there, {});
    const OpId b = builder.comm({}, 1, 0, back, {});
    const std::vector<OpId> both{a, b};
    builder.reduce({}, 0, combine, Operand::left, both);
    for (int i = 0; i < combines_at_1; ++i) {
      builder.reduce({}, 1, combine, Operand::left, both);
    }
    return contract_fault(builder.finish()).value_or("");
  }
};

std::string fault_of(ScheduleBuilder& builder) {
  return contract_fault(builder.finish()).value_or("");
}

}  // namespace

TEST_CASE("replay finds no fault in a correct schedule") { CHECK(Exchange().fault().empty()); }

TEST_CASE("replay finds a missing message") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 2), 2);
  const OpId a = builder.comm({}, 0, 1, {{0, 2}, kWork, kScratch}, {});
  builder.reduce({}, 1, {{0, 2}, kScratch, kWork}, Operand::left, {&a, 1});
  CHECK(fault_of(builder) == "at the end block 0 of rank 0 lacks the input of rank 1");
}

TEST_CASE("replay finds a doubled reduction") {
  Exchange exchange;
  exchange.combines_at_1 = 2;
  CHECK(exchange.fault() == "at the end block 0 of rank 1 counts the input of rank 0 2 times");
}

TEST_CASE("replay finds a reduction of different blocks") {
  Exchange exchange;
  exchange.there = {
      {0, 2}, kWork, kScratch, 1};  // writes block 0 to place 1, and block 1 to place 0
  CHECK(exchange.fault() == "Req(<0,0>,{1}) combines block 1 with block 0");
}

TEST_CASE("replay finds a block that went to the wrong place") {
  ScheduleBuilder builder(problem_of(Collective::bcast, 2, 2), 2);
  builder.comm({}, 0, 1, {{0, 2}, kWork, kWork, 1}, {});
  CHECK(fault_of(builder) == "at the end block 0 of rank 1 holds block 1 instead of block 0");
}

TEST_CASE("replay finds a result in the wrong buffer") {
  ScheduleBuilder builder(problem_of(Collective::bcast, 2, 2), 1);
  builder.comm({}, 0, 1, {kFirst, kWork, kScratch}, {});
  CHECK(fault_of(builder) == "at the end block 0 of rank 1 is empty");
}

TEST_CASE("replay finds a read of scratch that was never written") {
  Exchange exchange;
  exchange.there = {kFirst, kWork, kScratch};
  CHECK(exchange.fault() == "Req(<0,0>,{1}) reads scratch at rank 1, where nothing was written");
}

TEST_CASE("replay finds a reduction into scratch that was never written") {
  ScheduleBuilder builder(problem_of(Collective::reduce, 2, 2), 1);
  const OpId a = builder.comm({}, 1, 0, {kFirst, kWork, kScratch}, {});
  builder.reduce({}, 0, {kFirst, kScratch, {Buffer::scratch, 1}}, Operand::left, {&a, 1});
  CHECK(fault_of(builder) ==
        "Req(<0,0>,{0}) reduces into scratch at rank 0, where nothing was written");
}

TEST_CASE("replay finds a read of input that the rank does not have") {
  ScheduleBuilder builder(problem_of(Collective::allgather, 2, 2), 2);
  builder.comm({}, 0, 1, {kSecond, kInput, kWork}, {});
  CHECK(fault_of(builder) == "Req(<0,0>,{0,1}) reads input at rank 0, where nothing was written");
}

TEST_CASE("replay finds the input of the wrong rank") {
  ScheduleBuilder builder(problem_of(Collective::alltoall, 3, 3), 3);
  for (Rank rank = 0; rank < 3; ++rank) {
    builder.copy({}, rank, {kFirst, kInput, kWork}, {});
    for (std::uint32_t distance = 1; distance < 3; ++distance) {
      builder.comm({}, rank, (rank + distance) % 3, {{distance, 1}, kInput, kWork}, {});
    }
  }
  // This extra message overwrites at rank 0 what rank 2 has sent.
  builder.comm({}, 1, 0, {kSecond, kInput, kWork}, {});
  CHECK(fault_of(builder) ==
        "at the end block 1 of rank 0 holds the input of rank 1 instead of rank 2's");
}

TEST_CASE("replay knows that alltoall does not start with its input in place") {
  ScheduleBuilder builder(problem_of(Collective::alltoall, 1, 1), 1);
  CHECK(fault_of(builder) == "at the end block 0 of rank 0 is empty");
}

TEST_CASE("replay finds an operator in a collective without one") {
  ScheduleBuilder builder(problem_of(Collective::bcast, 1, 1), 1);
  builder.reduce({}, 0, {kFirst, kInput, kWork}, Operand::left, {});
  CHECK(fault_of(builder) == "Req(<0,0>,{0}) reduces, but bcast has no operator");
}

TEST_CASE("replay finds a rank that a barrier leaves out") {
  ScheduleBuilder builder(problem_of(Collective::barrier, 3, 0), 1);
  builder.comm({}, 0, 1, {kFirst, kWork, kWork}, {});
  builder.comm({}, 1, 2, {kFirst, kWork, kWork}, {});
  CHECK(fault_of(builder) == "at the end rank 0 has not heard of rank 1");
  builder.comm({}, 0, 1, {kFirst, kWork, kWork}, {});
  builder.comm({}, 1, 2, {kFirst, kWork, kWork}, {});
  builder.comm({}, 2, 1, {kFirst, kWork, kWork}, {});
  builder.comm({}, 1, 0, {kFirst, kWork, kWork}, {});
  CHECK(fault_of(builder).empty());
}

}  // namespace tutti::test_symbolic_replay_faults
