// Tests programs that call algorithms among some of the ranks.
#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/notation/notation_error.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_program_calls {

namespace {

Program program_of(Collective collective, const std::string& body) {
  return {"tutti-program 1\ncollective " + std::string(name(collective)) + "\n" + body, "test"};
}

Schedule run(Collective collective, const std::string& body, std::uint32_t ranks,
             std::uint64_t elements = 24, Rank root = 0, std::uint32_t cores = 1) {
  Problem problem = problem_of(collective, ranks, elements, root);
  problem.ranks_per_node = cores;
  return program_of(collective, body).schedule(problem);
}

bool proved(const Schedule& schedule) { return verify(schedule).findings.empty(); }

std::string printed(const Schedule& schedule) {
  std::ostringstream text;
  print_notation(schedule, "hierarchical", text);
  return text.str();
}

Program example(const std::string& name) {
  const std::string path = source_dir() + "/examples/schedules/" + name + ".sched";
  return {read_file(path, kScheduleFile), path};
}

}  // namespace

TEST_CASE("a hierarchy of calls equals the built-in one, label for label") {
  const Program program = example("hierarchical_allreduce");
  const Algorithm& algorithm = algorithm_named("allreduce/hierarchical");
  for (const std::uint32_t ranks : {2U, 5U, 8U, 13U, 32U}) {
    for (const std::uint32_t cores : {1U, 2U, 3U, 4U, 16U}) {
      for (const std::uint64_t elements : {0U, 1U, 1000U}) {
        Problem problem = problem_of(Collective::allreduce, ranks, elements);
        problem.ranks_per_node = cores;
        INFO(ranks << " ranks, nodes of " << cores << ", " << elements << " elements");
        REQUIRE(printed(program.schedule(problem)) == printed(make_schedule(algorithm, problem)));
      }
    }
  }
}

TEST_CASE("lanes in which some ranks take no part move the same blocks as the built-in ones") {
  const Program program = example("multilane_allreduce");
  const Algorithm& algorithm = algorithm_named("allreduce/multilane");
  for (std::uint32_t ranks = 1; ranks <= 13; ++ranks) {
    for (const std::uint32_t cores : {1U, 2U, 3U, 4U, 5U}) {
      for (const std::uint64_t elements : {3U, 60U}) {
        Problem problem = problem_of(Collective::allreduce, ranks, elements);
        problem.ranks_per_node = cores;
        INFO(ranks << " ranks, nodes of " << cores << ", " << elements << " elements");
        const Schedule ours = program.schedule(problem);
        const Schedule built_in = make_schedule(algorithm, problem);
        REQUIRE(std::equal(ours.ops().begin(), ours.ops().end(), built_in.ops().begin(),
                           built_in.ops().end()));
        REQUIRE(ours.layout() == built_in.layout());
        REQUIRE(proved(ours));
      }
    }
  }
}

TEST_CASE("shares, roots and orders of ranks work in every collective whose ranks own parts") {
  // Gathers within nodes of two ranks. If the number of ranks is odd, the last node has one rank.
  const std::string gather =
      "nodes = ceil(N/2)\nsizes[nodes] = {2, ..., 2}\nif N mod 2 == 1\n  sizes[nodes-1] = 1\n"
      "for k < nodes\n  use gather/linear among 2*k..min(2*k+2,N)-1 on "
      "work[2*k:min(2,N-2*k)]\n";
  const std::string across = " among 0..N-1 by 2 shares sizes";
  for (const std::uint32_t ranks : {2U, 5U, 6U, 9U}) {
    INFO(ranks << " ranks");
    CHECK(proved(run(Collective::gather, gather + "use gather/binomial" + across, ranks)));
    CHECK(proved(run(Collective::allgather,
                     gather + "use allgather/ring" + across +
                         "\nfor k < nodes\n  use bcast/binomial among 2*k..min(2*k+2,N)-1\n",
                     ranks)));
    CHECK(proved(run(Collective::bcast,
                     "a = {}\nfor k = N-1 downto 0\n  a += {k}\n"
                     "use bcast/pipeline among a root R with segment_bytes 16, tree binary\n",
                     ranks, 24, ranks - 1)));
    CHECK(proved(run(Collective::reduce_scatter,
                     "use reduce/binomial among 0..N-1 root 1\n"
                     "use scatter/binomial among 0..N-1 root 1\n",
                     ranks)));
    CHECK(proved(run(Collective::alltoall, "use alltoall/bruck among 0..N-1\n", ranks)));
    CHECK(proved(run(Collective::barrier,
                     "use barrier/dissemination among 0..N-1 by 2\n"
                     "use barrier/dissemination among 0..N-1\n",
                     ranks, 0)));
  }
  // Calls may also work on one block of the vector, or on all blocks in another order.
  CHECK(proved(run(Collective::allreduce,
                   "blocks 3\nfor b < 3\n  use allreduce/ring among 0..N-1 on work[b]\n", 4)));
  CHECK(proved(run(Collective::allreduce,
                   "blocks 4\nuse reduce_scatter/ring among 0..N-1 on work[3,1,2,0]\n"
                   "use allgather/ring among 0..N-1 on work[3,1,2,0]\n",
                   4)));
}

TEST_CASE(
    "a call comes after all earlier operations of its ranks, and its last level tells when it "
    "ends") {
  const Schedule schedule = run(Collective::allreduce,
                                "Req(5,{0,1}) = Comm(0,1,work[0] -> scratch)\n"
                                "use allreduce/ring among {1, 2}\n"
                                "l = max(level(2),level(3))\n"
                                "Req(l,{2,3}) = Comm(2,3,work[0]) After(Req(level(2)-1,2))\n",
                                4);
  // The call begins one level above the highest level of the earlier operations of its ranks.
  CHECK(schedule.op(1).label().level == 6);
  for (OpId id = 1; id + 1 < schedule.size(); ++id) {
    const bool first_at_1 = schedule.op(id).label().level == 6 && schedule.op(id).touches(1);
    if (first_at_1 && schedule.op(id).is_comm()) {
      REQUIRE(schedule.predecessors(id).size() == 1);
      CHECK(schedule.predecessors(id)[0] == 0);
    }
  }
  // The next message waits for the last operations of rank 2 in the call, and for nothing else.
  const OpId last = schedule.size() - 1;
  CHECK(schedule.op(last).label().level == schedule.op(last - 1).label().level + 1);
  for (const OpId before : schedule.predecessors(last)) {
    CHECK(schedule.op(before).touches(2));
    for (const OpId after : schedule.successors(before)) {
      CHECK((after == last || !schedule.op(after).touches(2)));
    }
  }
  CHECK(!schedule.predecessors(last).empty());
}

TEST_CASE("a rank without operations in a call keeps its last operation") {
  // A call on rank 0 alone has no operations, so the next call waits for the earlier operation of
  // rank 0.
  const Schedule schedule = run(Collective::bcast,
                                "use bcast/binomial among {0, 1}\nuse bcast/binomial among {0}\n"
                                "use bcast/binomial among {0, 2}\n",
                                3);
  REQUIRE(schedule.size() == 2);
  REQUIRE(schedule.predecessors(1).size() == 1);
  CHECK(schedule.predecessors(1)[0] == 0);
  CHECK(schedule.op(1).label().level == 1);
}

TEST_CASE("input that a later call reads is copied first") {
  // allgather_reduce reads the initial input of the ranks.
  const std::string twice =
      "for k < N/2\n  use allreduce/allgather_reduce among 2*k..2*k+1\n"
      "use allreduce/allgather_reduce among 0..N-1 by 2\n"
      "for k < N/2\n  use bcast/linear among 2*k..2*k+1\n";
  const Schedule schedule = run(Collective::allreduce, twice, 4);
  CHECK(proved(schedule));
  std::size_t copies = 0;
  for (const Op& op : schedule.ops()) {
    copies += op.kind() == OpKind::copy && op.from() == Buffer::work ? 1 : 0;
  }
  CHECK(copies == 2);
  CHECK(proved(run(Collective::alltoall, "use alltoall/linear among 0..N-1\n", 5)));
}

TEST_CASE("scratch of a call is separate from the program's own") {
  const Schedule schedule = run(Collective::allreduce,
                                "Req(0,{1,0}) = Comm(1,0,work[0] -> scratch)\n"
                                "use allreduce/ring among {0, 2, 3}\n"
                                "Req(9,0) = Reduce(0,work[0] op scratch -> work) "
                                "After(Req(level(0)-1,0),Req(0,{1,0}))\n"
                                "use bcast/binomial among 0..N-1\n",
                                4);
  CHECK(proved(schedule));
}

TEST_CASE("times need no blocks, and belong to the same operations") {
  Problem problem = problem_of(Collective::allreduce, 13, 100);
  problem.ranks_per_node = 4;
  for (const char* name : {"hierarchical_allreduce", "multilane_allreduce"}) {
    const Program program = example(name);
    const Schedule whole = program.schedule(problem);
    const Schedule times = program.schedule(problem, Detail::times_only);
    CHECK_FALSE(times.has_payload());
    REQUIRE(whole.size() == times.size());
    CHECK(whole.layout() == times.layout());
    CHECK(whole.bytes_sent() == times.bytes_sent());
    CHECK(whole.dependencies() == times.dependencies());
  }
}

TEST_CASE("calls together with messages without blocks leave the schedule bare") {
  const Schedule schedule = run(
      Collective::allreduce, "Req(0,{0,1}) = Comm(0,1,M/2)\nuse allreduce/ring among 0..N-1\n", 4);
  CHECK(schedule.bytes_only());
  CHECK_FALSE(schedule.has_payload());
}

TEST_CASE("keywords of a call are names elsewhere, and lines of a call can continue") {
  CHECK(run(Collective::bcast,
            "use = 3\nroot = 4\nwith = use\n  + root\non = {1}\namong = 1\nblocks with\n"
            "use bcast/linear\n  among 0..N-1\n  # all of it\n  root R\n  on work[0:with]\n",
            3)
            .size() == 2);
}

TEST_CASE("a call accepts algorithms with nested options") {
  CHECK(proved(run(Collective::allreduce,
                   "use allreduce/hierarchical among 0..N-1\n"
                   "  with groups \"2,4\", across \"hierarchical\"\n",
                   13)));
  CHECK(proved(run(Collective::allreduce,
                   "use allreduce/circulant among 0..N-1 with skips \"4,2,1\"\n", 5)));
  CHECK(proved(run(Collective::allreduce,
                   "use allreduce/recursive_exchange among 0..N-1 with radix N-2\n", 5)));
}

TEST_CASE("errors in a call are reported at their position") {
  const auto message = [](const std::string& body, Collective collective = Collective::allreduce,
                          std::uint64_t elements = 60) -> std::string {
    try {
      (void)run(collective, body + "\n", 6, elements);
    } catch (const NotationError& error) {
      return with_fields(error.what());
    }
    return "";
  };
  using Catch::StartsWith;
  CHECK_THAT(message("use allreduce/rng among 0..2"),
             StartsWith("test:3:15: no algorithm 'rng' for allreduce"));
  CHECK_THAT(message("use alreduce/ring among 0..2"),
             StartsWith("test:3:5: unknown collective 'alreduce'; did you mean 'allreduce'?"));
  CHECK_THAT(message("use alltoallv/linear among 0..2"),
             StartsWith("test:3:5: an alltoallv cannot be called: it has a block for each pair"));
  CHECK_THAT(message("use allreduce/sharp among 0..2"),
             StartsWith("test:3:15: allreduce/sharp needs switches, but a call has only ranks"));
  CHECK_THAT(message("use allreduce/ring among {0, 1, 1}"),
             StartsWith("test:3:26: rank 1 is in the list twice"));
  CHECK_THAT(message("use allreduce/ring among {0, N}"),
             StartsWith("test:3:26: rank 6 in the list: the ranks are 0 to 5 (N = 6)"));
  CHECK_THAT(message("use allreduce/ring among {-1, 0}"), StartsWith("test:3:26: rank -1"));
  CHECK_THAT(message("use allreduce/ring among 3..2"),
             StartsWith("test:3:26: the list of ranks is empty"));
  CHECK_THAT(message("use allreduce/ring among 0..2 by 0"),
             StartsWith("test:3:26: by 0: the step of a range must be at least 1"));
  CHECK_THAT(
      message("use allreduce/ring among 0..9223372036854775807"),
      StartsWith("test:3:26: 0..9223372036854775807 has more members than there are ranks (6)"));
  CHECK_THAT(message("use allreduce/ring among N"), StartsWith("test:3:26: 'N' is a number"));
  CHECK_THAT(message("use allreduce/ring of 0..2"),
             StartsWith("test:3:20: expected 'among' and the ranks, found 'of'"));
  CHECK_THAT(message("use allreduce/ring among 0..2 rot 1"),
             StartsWith("test:3:31: expected on, shares, root, with or the end of the line"));
  CHECK_THAT(message("use allreduce/ring among 0..2 root 1"),
             StartsWith("test:3:31: allreduce/ring has no root"));
  CHECK_THAT(message("use bcast/linear among 0..2 root 4"),
             StartsWith("test:3:34: root 4 is not among the 3 ranks of the call"));
  CHECK_THAT(message("use bcast/linear among 0..2 root 1 root 1"),
             StartsWith("test:3:36: this clause is repeated; write each of on,"));
  CHECK_THAT(message("use bcast/linear among 0..2 shares {1, 1, 1}"),
             StartsWith("test:3:29: 'shares' does not apply to bcast/linear"));
  CHECK_THAT(message("use bcast/linear among 0..2 on scratch[0]"),
             StartsWith("test:3:32: write blocks of work"));
  CHECK_THAT(message("blocks 7\nuse bcast/linear among 0..2 on work[1,3]"),
             StartsWith("test:4:32: block 3 does not follow block 1"));
  CHECK_THAT(message("blocks 7\nuse bcast/linear among 0..2 on work[1,1]"),
             StartsWith("test:4:32: block 1 is listed twice"));
  CHECK_THAT(message("blocks 7\nuse allgather/ring among 0..2"),
             StartsWith("test:4:1: 7 blocks cannot be divided evenly among 3 ranks"));
  CHECK_THAT(message("blocks 7\nuse allgather/ring among 0..2 shares {1, 2}"),
             StartsWith("test:4:38: 'shares' lists 2 ranks, but the call has 3 ranks"));
  CHECK_THAT(message("blocks 7\nuse allgather/ring among 0..2 shares {1, 2, 3}"),
             StartsWith("test:4:38: the shares add up to 6 blocks, but the call has 7 blocks"));
  CHECK_THAT(message("blocks 7\nuse allgather/ring among 0..2 shares {1, 2, 5}"),
             StartsWith("test:4:38: the shares exceed the 7 blocks"));
  CHECK_THAT(message("blocks 7\nuse allgather/ring among 0..2 shares {1, -2, 5}"),
             StartsWith("test:4:38: a share of -2 blocks: must not be negative"));
  CHECK_THAT(message("use allreduce/ring among 0..2 with radix 4"),
             StartsWith("test:3:36: allreduce/ring takes no options"));
  CHECK_THAT(message("use bcast/pipeline among 0..2 with tre binary"),
             StartsWith("test:3:36: bcast/pipeline takes no 'tre'; expected segment_bytes"));
  CHECK_THAT(message("use bcast/pipeline among 0..2 with tree binry"),
             StartsWith("test:3:41: 'binry' is not a tree"));
  CHECK_THAT(message("use bcast/pipeline among 0..2 with tree binary, tree chain"),
             StartsWith("test:3:49: 'tree' is repeated"));
  CHECK_THAT(message("use bcast/pipeline among 0..2 with segment_bytes 0"),
             StartsWith("test:3:50: segment_bytes '0': a segment must have at least one element"));
  CHECK_THAT(message("use barrier/dissemination among 0..2"),
             StartsWith("test:3:1: a program for "));
  CHECK_THAT(message("x = level(6)"),
             StartsWith("test:3:5: level of rank 6: the ranks are 0 to 5"));
  CHECK_THAT(
      message("for k < 2\n  use allreduce/ring among {k, 1}"),
      StartsWith("test:4:28: rank 1 is in the list twice; list each rank once (N = 6, k = 1)"));
}

TEST_CASE("a program refuses what a called algorithm refuses, and names the call") {
  CHECK_THROWS_MATCHES(
      run(Collective::allreduce, "for k < 2\n  use allreduce/ring among 0..N-1\n", 6, 2),
      UnservedProblem,
      Catch::Message("allreduce/unnamed cannot run: its allreduce/ring, test:4:3: 2 elements on 6 "
                     "ranks; the ring gives every rank a block of its own, so it needs at least "
                     "as many elements as ranks"));
}

TEST_CASE("limits also hold for called algorithms") {
  ProgramLimits limits;
  limits.operations = 10;
  const Program program("tutti-program 1\ncollective allreduce\nuse allreduce/ring among 0..N-1\n",
                        "test", limits);
  CHECK_NOTHROW(program.schedule(problem_of(Collective::allreduce, 2, 60)));
  CHECK_THROWS_WITH(program.schedule(problem_of(Collective::allreduce, 6, 60)),
                    Catch::Contains("--limit operations=N"));
}

}  // namespace tutti::test_program_calls
