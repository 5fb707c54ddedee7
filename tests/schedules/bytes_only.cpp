// Tests bare schedules, that is, schedules in which some operations have bytes but no blocks: how
// files and programs make a schedule bare, and what the proof reports on it.
#include "schedules/bytes_only.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "schedules/assemble.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_bytes_only {
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

// Returns the text of a schedule file. The statements begin in line 8, or in line 9 if `blocks` is
// not empty.
std::string file(const std::string& statements, const std::string& blocks = "") {
  return "tutti-schedule 1\ncollective bcast\nranks 4\nbytes 32\nelement_bytes 8\nroot 0\n" +
         blocks + "\n" + statements;
}

Schedule read(const std::string& text) { return parse_notation(text, "test.tutti").schedule; }

// Returns the schedule of a program for 4 ranks and 4 elements. `body` begins in line 3 of the
// program.
Schedule run(const std::string& body, Collective collective = Collective::bcast,
             Detail detail = Detail::payload) {
  const Program program(
      "tutti-program 1\ncollective " + std::string(name(collective)) + "\n" + body, "test.sched");
  return program.schedule(problem_of(collective, 4, 4), detail);
}

std::vector<std::string> labels(const Schedule& schedule) {
  std::vector<std::string> all;
  for (const Op& op : schedule.ops()) {
    all.push_back(label_text(op));
  }
  return all;
}

std::vector<OpId> before(const Schedule& schedule, OpId id) {
  const auto row = schedule.predecessors(id);
  return {row.begin(), row.end()};
}

}  // namespace

TEST_CASE("an operation of a file may have only bytes, which makes the schedule bare") {
  const Schedule schedule =
      read(file("Req(0,{1,1}) = Copy(1,32)\n"
                "Req(0,{1}) = Reduce(1,32)\n"
                "Req(3,{0,1}) = Comm(0,1,32) After(Req(0,1))\n"
                "Req(5,{1,2}) = Comm(1,2,7) After(Req(3,{0,1}))\n"));
  REQUIRE(schedule.bytes_only());
  CHECK_FALSE(schedule.has_payload());
  CHECK(schedule.scratch_slots() == 0);
  // bytes_only_text() names the first message without blocks, although a copy and a reduction
  // without blocks precede it. It names the round of the message, which differs from the level in
  // the message's label.
  CHECK(*schedule.bytes_only() == BareOp{2, 10});
  CHECK(bytes_only_text(schedule) ==
        "Req(<3,0>,{0,1}) in line 10, of round 1, has 32 bytes and no blocks");
  CHECK(schedule.bytes_sent() == 39);
  CHECK(schedule.bytes_reduced() == 32);
  CHECK_THROWS_WITH(
      refuse_bytes_only(schedule, "a.tutti", "it is not run"),
      Equals("'a.tutti': it is not run: Req(<3,0>,{0,1}) in line 10, of round 1, has 32 "
             "bytes and no blocks"));
}

TEST_CASE("one operation without blocks makes a schedule bare, wherever it is") {
  const std::string whole = "Req(0,{0,1}) = Comm(0,1,32, work[0] -> scratch#3[0])\n";
  const std::string without = "Req(1,{0,2}) = Comm(0,2,32) After(Req(0,{0,1}))\n";
  const Schedule proved = read(file(whole, "blocks 1\n"));
  CHECK_FALSE(proved.bytes_only());
  CHECK_NOTHROW(refuse_bytes_only(proved, "a.tutti", "it is not run"));
  const Schedule bare = read(file(whole + without, "blocks 1\n"));
  REQUIRE(bare.bytes_only());
  CHECK(*bare.bytes_only() == BareOp{1, 10});
  CHECK(bare.pool().empty());
  // The operation is reported with its line number, although it is second in the schedule and first
  // in the file.
  const Schedule turned =
      read(file("Req(1,{0,2}) = Comm(0,2,32) After(Req(0,{0,1}))\n" + whole, "blocks 1\n"));
  REQUIRE(turned.bytes_only());
  CHECK(*turned.bytes_only() == BareOp{1, 9});
  CHECK(label_text(turned.op(1)) == "Req(<1,0>,{0,2})");
  CHECK(assemble(parts_of(turned)).bytes_only() == turned.bytes_only());
}

TEST_CASE("blocks need a header that declares them") {
  CHECK_THROWS_WITH(read(file("Req(0,{0,1}) = Comm(0,1,32)\n"
                              "Req(1,{0,1}) = Comm(0,1,32, work[0] -> work[0])\n")),
                    Contains("test.tutti:9:") && Contains("add a line 'blocks'"));
}

TEST_CASE("in a program, messages of the vector's size carry all of it, and other sizes are bare") {
  CHECK_FALSE(run("Req(0,{0,1}) = Comm(0,1,M)\n").bytes_only());
  for (const Detail detail : {Detail::payload, Detail::times_only}) {
    const Schedule schedule = run(
        "Req(0,{0,1}) = Comm(0,1,M)\nReq(1,{1,2}) = Comm(1,2,M-5)\nReq(2,{0,3}) = Comm(0,3,1)\n",
        Collective::bcast, detail);
    REQUIRE(schedule.bytes_only());
    CHECK_FALSE(schedule.has_payload());
    CHECK(*schedule.bytes_only() == BareOp{1, 4});
    CHECK(schedule.op(1).bytes() == 27);
  }
  // A reduction or a copy without blocks makes the schedule bare even if its number of bytes is
  // that of the vector, because the blocks that it reads are unknown.
  CHECK(*run("Req(0,0) = Reduce(0,M)\n", Collective::allreduce).bytes_only() == BareOp{0, 3});
  CHECK(*run("Req(0,0) = Copy(0,M)\nReq(1,{1,2}) = Comm(1,2,2)\n").bytes_only() == BareOp{1, 4});
  CHECK_THROWS_WITH(run("Req(0,{0,1}) = Comm(0,1,0-1)\n"),
                    Contains("-1 bytes: an operation has 0"));
  CHECK_THROWS_WITH(run("Req(0,{0,1}) = Comm(0,1,2^44)\n"), Contains("bytes: an operation has 0"));
  CHECK_THROWS_WITH(run("Req(0,{0,1}) = Comm(0,1,M-5,work[0])\n"), Contains("but the blocks of"));
}

TEST_CASE("the proof of a bare schedule reports what is missing, and any other errors") {
  const Verdict verdict =
      verify(read(file("Req(0,{0,1}) = Comm(0,1,32)\nReq(2,{0,2}) = Comm(0,2,32)\n")));
  CHECK_FALSE(verdict.proved());
  CHECK(verdict.only_lacks_blocks());
  CHECK(verdict.claims_hold());
  REQUIRE(verdict.findings.size() == 1);
  CHECK(verdict.findings[0].kind == FindingKind::blocks);
  CHECK_THAT(verdict.findings[0].text, Contains("Req(<0,0>,{0,1}) in line 8, of round 1,"));
  CHECK(verdict.rounds == 2);
  CHECK(verdict.bytes_sent == 64);
  CHECK(verdict.bytes_lower_bound == 96);
  // A dependency between operations that share no rank is wrong, whatever the blocks are.
  const Verdict wrong = verify(
      read(file("Req(0,{0,1}) = Comm(0,1,32)\nReq(1,{2,3}) = Comm(2,3,32) After(Req(0,{0,1}))\n")));
  CHECK_FALSE(wrong.proved());
  CHECK_FALSE(wrong.only_lacks_blocks());
  CHECK(wrong.count(FindingKind::locality) == 1);
  CHECK(wrong.count(FindingKind::blocks) == 1);
}

TEST_CASE("in a file, += adds to an existing request") {
  const Schedule schedule =
      read(file("Req(1,{1,2}) = Comm(1,2,8) After(Req(0,{0,1}))\n"
                "Req(0,{0,1}) += Comm(0,1,8)\n"
                "Req(<0,1>,{0,1}) = Comm(0,1,16)\n"
                "Req(0,{0,1}) += Comm(0,1,24) After(Req(0,{0,1}))\n"
                "Req(0,{0,1}) += Comm(0,1,32) After(Req(0,{0,1}))\n"
                "Req(2,{1,2}) = Comm(1,2,8) After(Req(<0,2>,{0,1}))\n"
                "Req(3,{1,2}) = Comm(1,2,8) After(Req(<0,1>,{0,1}))\n"));
  // Operations added with += get the segments 2 and 3, because segment 1 is already in use.
  CHECK(labels(schedule) == std::vector<std::string>{"Req(<0,0>,{0,1})", "Req(<0,1>,{0,1})",
                                                     "Req(<0,2>,{0,1})", "Req(<0,3>,{0,1})",
                                                     "Req(<1,0>,{1,2})", "Req(<2,0>,{1,2})",
                                                     "Req(<3,0>,{1,2})"});
  CHECK(before(schedule, 2) == std::vector<OpId>{0});
  CHECK(before(schedule, 3) == std::vector<OpId>{0, 2});
  CHECK(before(schedule, 4) == std::vector<OpId>{0, 2, 3});
  CHECK(before(schedule, 5) == std::vector<OpId>{2});
  CHECK(before(schedule, 6) == std::vector<OpId>{1});
  CHECK_THROWS_WITH(read(file("Req(0,{0,1}) += Comm(0,1,8)\nReq(0,{0,1}) = Comm(0,1,8)\n")),
                    Contains("test.tutti:9:1: a second operation with the label Req(<0,0>,{0,1})"));
}

TEST_CASE("in a program, += adds to an existing request") {
  const Schedule schedule =
      run("blocks 4\n"
          "for s < 3\n"
          "  Req(0,{0,1}) += Comm(0,1,work[s])\n"
          "Req(<0,7>,{0,1}) = Comm(0,1,work[3])\n"
          "Req(1,{1,2}) = Comm(1,2,work[0]) After(Req(0,{0,1}))\n"
          "Req(1,{1,2}) += Comm(1,2,work[1]) After(Req(0,1))\n"
          "Req(1,{1,2}) += Comm(1,2,work[2]) After(Req(<0,0>,1))\n"
          "Req(2,{2,3}) = Comm(2,3,work[0]) After(Req(<1,1>,{1,2}))\n");
  CHECK_FALSE(schedule.bytes_only());
  CHECK(labels(schedule) == std::vector<std::string>{"Req(<0,0>,{0,1})", "Req(<0,1>,{0,1})",
                                                     "Req(<0,2>,{0,1})", "Req(<0,7>,{0,1})",
                                                     "Req(<1,0>,{1,2})", "Req(<1,1>,{1,2})",
                                                     "Req(<1,2>,{1,2})", "Req(<2,0>,{2,3})"});
  CHECK(before(schedule, 4) == std::vector<OpId>{0, 1, 2});
  CHECK(before(schedule, 5) == std::vector<OpId>{0, 1, 2, 3});
  // The program adds operations 0, 1 and 2 to segment 0. A dependency on segment 0 is therefore a
  // dependency on all three, although the labels of operations 1 and 2 have other segments.
  CHECK(before(schedule, 6) == std::vector<OpId>{0, 1, 2});
  CHECK(before(schedule, 7) == std::vector<OpId>{5});
  CHECK_THROWS_WITH(run("Req(0,{0,1}) += Comm(0,1,M)\nReq(0,{0,1}) = Comm(0,1,M)\n"),
                    Contains("a second operation with the label Req(<0,0>,{0,1})"));
}

}  // namespace tutti::test_bytes_only
