// Compares tutti's tables of Open MPI's default algorithms with Open MPI's own functions.
//
// open_mpi_replay.csv contains random calls and, for each, the decision of the library's code. To
// obtain the decisions, these unchanged sources of v4.1.8, v5.0.9 and main of August 2026
// (8efebee7) were compiled with stubs for the rest of the library: coll_tuned_decision_fixed.c; the
// lines of nbc_ibcast.c and nbc_ireduce.c that select an algorithm; and, except for v4.1.8, also
// coll_han_COLLECTIVE.c, whose calls on communicators were recorded. The last column has the
// algorithm's number in coll/tuned or, for each call that coll/han makes on nodes and between them,
// the collective, the component that decides, and its decision. If coll/tuned selects recursive
// doubling for an allgather and the number of ranks is not a power of two, the column has Bruck's
// algorithm, which coll/base calls in this case.
//
// 10,000 further calls of each version were compared once in the same way. The environment variable
// TUTTI_OPEN_MPI_REPLAY selects another file.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/built_in/built_in.hpp"
#include "src/rule_files/rule_file.hpp"
#include "tests/src/built_in/replayed_calls.hpp"

namespace tutti::test_open_mpi { namespace {

std::vector<ReplayedCall> open_mpi_calls() {
  return replayed_calls("open_mpi_replay.csv", "TUTTI_OPEN_MPI_REPLAY");
}

// Returns "tuned 7" for "7 knomial, not segmented", and "tuned 2 fan-out 2" for "2 chain, fan-out
// 2". For libnbc, which has no algorithm numbers, returns "libnbc " and the full text.
std::string algorithm_of(const LibraryLevel& level) {
  if (level.decided_by == "coll/libnbc") {
    return "libnbc " + level.chosen;
  }
  const std::size_t fan = level.chosen.find("fan-out ");
  return "tuned " + level.chosen.substr(0, level.chosen.find(' ')) +
         (fan == std::string::npos ? "" : " " + level.chosen.substr(fan, 9));
}

// Formats a decision as in the replay file.
std::string printed(const LibraryDecision& decision) {
  std::set<std::string> all;
  bool han = false;
  for (const LibraryLevel& level : decision.path) {
    han = han || (level.depth == 0 && level.decided_by == "coll/han");
    const bool decides = level.decided_by == "coll/tuned" || level.decided_by == "coll/libnbc";
    if (!decides || level.depth != (han ? 1U : 0U)) {
      continue;
    }
    if (!han) {
      all.insert(algorithm_of(level));
      continue;
    }
    const bool between = level.ranks.find("one of each node") != std::string::npos;
    std::string collective = level.ranks.substr(level.ranks.rfind(", ") + 2);
    collective.resize(std::min(collective.find(' '), collective.size()));
    all.insert(
        fmt::format("{} {} {}", between ? "between" : "on", collective, algorithm_of(level)));
  }
  std::string text;
  for (const std::string& each : all) {
    text += (text.empty() ? "" : "; ") + each;
  }
  return text;
}

TEST_CASE("Open MPI's decisions equal those of its own functions") {
  const std::vector<ReplayedCall> calls = open_mpi_calls();
  check_decisions(
      calls, [](const LibraryCall&, const LibraryDecision& decision) { return printed(decision); });
  CHECK(calls_between_nodes(calls) >= 200);
}

TEST_CASE(
    "each decision of Open MPI gives a schedule that can be made, or a reason why there is none") {
  CHECK(check_schedules(open_mpi_calls()).size() > 800);
}

LibraryDecision decided(std::string_view version, Collective collective, std::uint32_t ranks,
                        std::uint32_t ranks_per_node, std::uint64_t bytes) {
  const LibraryCall call{collective, ranks, ranks_per_node, bytes, 8};
  return open_mpi_decision(library_version_named("version", version), call);
}

TEST_CASE("a site's rules decide what coll/han asks coll/tuned, and nothing else") {
  constexpr std::string_view kRules =
      "3\n"
      "2 1\n 2 1\n 0 3 0 0\n"  // allreduce: recursive doubling
      "7 2\n 2 1\n 0 1 0 0\n 4 2\n 0 6 0 0\n 1024 3 0 0\n"
      "11 1\n 2 1\n 0 1 0 0\n";  // reduce: linear
  const RuleFile read = read_rules(kRules, RuleFormat::ompi4);
  REQUIRE(read.sound());
  LibraryCall call{Collective::allreduce, 32, 8, 512, 8};
  const auto decide = [&](std::span<const DecisionTable> rules) {
    call.rules = rules;
    return open_mpi_decision(library_version_named("version", "Open MPI 5.0"), call);
  };
  const auto parts = [&](const LibraryDecision& made) {
    std::vector<std::string> found;
    for (const LibraryLevel& level : made.path) {
      if (level.depth == 1) {
        found.push_back(level.decided_by + ": " + level.chosen);
      }
    }
    return found;
  };
  const LibraryDecision without = decide({});
  const LibraryDecision with = decide(read.tables);
  REQUIRE(with.path.front().chosen == "coll/han");
  // Between nodes, coll/libnbc does the reduce and the bcast, and does not use the rules.
  CHECK(parts(with) == std::vector<std::string>{"coll/tuned: 1 linear", parts(without).at(1),
                                                parts(without).at(2),
                                                "coll/tuned: 6 binomial, not segmented"});
  CHECK(with.path.back().where == "the rule file, line 9");
  CHECK(with.choice.options.text(Option::within) == "linear+pipeline:doubling:open_mpi");
  call.bytes = 4096;
  CHECK(parts(decide(read.tables)).back() == "coll/tuned: 3 pipeline, not segmented");
  call.ranks_per_node = 2;
  CHECK(parts(decide(read.tables)).back() == "coll/tuned: 1 basic_linear");
  // If coll/han does not handle the call, the rules decide for the call on all ranks.
  call.ranks_per_node = 1;
  CHECK(decide(read.tables).choice.algorithm == "recursive_doubling");
  // Collectives without a rule in the file keep the default.
  call = {Collective::barrier, 32, 8, 0, 8};
  CHECK(parts(decide(read.tables)) == parts(decide({})));
}

TEST_CASE("coll/tuned runs a scan for which a site's file has rules") {
  constexpr std::string_view kRules =
      "2\n"
      "14 2\n 2 1\n 0 2 0 0\n 16 1\n 0 0 0 0\n"  // scan: recursive doubling below 16 ranks
      "8 1\n 2 1\n 0 2 0 0\n";                   // exscan
  const RuleFile read = read_rules(kRules, RuleFormat::ompi4);
  REQUIRE(read.sound());
  for (const std::string_view version : {"Open MPI 4.1", "Open MPI 5.0", "Open MPI main"}) {
    CAPTURE(version);
    LibraryCall call{Collective::scan, 8, 4, 1024, 8};
    call.rules = read.tables;
    const auto decide = [&] {
      return open_mpi_decision(library_version_named("version", version), call);
    };
    CHECK(decide().path.front().chosen == "coll/tuned");
    CHECK(decide().choice.algorithm == "recursive_doubling");
    call.ranks = 16;
    CHECK(decide().path.front().chosen == "coll/tuned");
    CHECK(decide().choice.algorithm == "linear");
    call.collective = Collective::exscan;
    CHECK(decide().choice.algorithm == "recursive_doubling");
    call.rules = call.rules.first(1);
    CHECK(decide().path.front().chosen == "coll/basic");
    CHECK(decide().choice.algorithm == "linear");
  }
}

TEST_CASE("an algorithm that calls other collectives gets those that a site's rules select") {
  constexpr std::string_view kRules =
      "3\n"
      "2 1\n 2 1\n 0 2 0 0\n"                     // allreduce: nonoverlapping
      "7 2\n 2 1\n 0 6 0 512\n 16 1\n 0 2 4 0\n"  // bcast: binomial, then four chains
      "11 1\n 2 1\n 0 1 0 0\n";                   // reduce: linear
  const RuleFile read = read_rules(kRules, RuleFormat::ompi4);
  REQUIRE(read.sound());
  LibraryCall call{Collective::allreduce, 8, 1, 4096, 8};
  const auto decide = [&](std::string_view version, std::size_t rules) {
    call.rules = std::span<const DecisionTable>(read.tables).first(rules);
    return open_mpi_decision(library_version_named("version", version), call);
  };
  CHECK(decide("Open MPI 4.1", 1).choice.options.text(Option::parts) == "open_mpi");
  CHECK(decide("Open MPI 4.1", 3).choice.options.text(Option::parts) ==
        "linear+pipeline:doubling:512");
  call.ranks_per_node = 4;  // coll/han runs the parts
  CHECK(decide("Open MPI 4.1", 3).choice.options.text(Option::parts) ==
        "linear+pipeline:doubling:512");
  call.han_rules = {};
  CHECK(decide("Open MPI 5.0", 3).choice.algorithm == "hierarchical");
  call.table_alone = true;
  CHECK(decide("Open MPI 5.0", 3).lacking.find("coll/han's") != std::string::npos);
  call.ranks = 16;
  CHECK(decide("Open MPI 4.1", 3).lacking.find("in several chains") != std::string::npos);
}

TEST_CASE("coll/basic serves what Open MPI's coll/tuned lacks, and on one rank nothing is sent") {
  for (const Collective each :
       {Collective::gatherv, Collective::scatterv, Collective::scan, Collective::exscan}) {
    const LibraryDecision made = decided("Open MPI 5.0", each, 32, 8, 1024);
    CHECK(made.path.front().chosen == "coll/basic");
    CHECK(made.choice.algorithm == "linear");
  }
  CHECK(decided("Open MPI main", Collective::gatherv, 32, 8, 1024).path.front().chosen ==
        "coll/han");
  const LibraryDecision alone = decided("Open MPI 4.1", Collective::bcast, 1, 1, 64);
  CHECK(alone.path.front().chosen == "coll/self");
  CHECK(alone.choice.algorithm.empty());
}

TEST_CASE("coll/han's stages form a hierarchy, with its inner choice for each segment") {
  // There are 16 segments. Between nodes, libnbc uses a chain with segments of 8 KiB.
  const LibraryDecision large =
      decided("Open MPI 5.0", Collective::allreduce, 64, 8, std::uint64_t{1} << 20U);
  CHECK(large.choice.algorithm == "hierarchical");
  CHECK(large.choice.segment_bytes == 65536);
  CHECK(large.choice.options.text(Option::across) == "rabenseifner+pipeline:chain:8192");
  // A bcast sends its first segment with a different algorithm.
  const LibraryDecision two =
      decided("Open MPI 5.0", Collective::bcast, 64, 8, std::uint64_t{1} << 17U);
  CHECK(two.lacking.empty());
  CHECK(two.choice.algorithm == "hierarchical");
  CHECK(two.choice.segment_bytes == 65536);
  const std::string across = two.choice.options.text(Option::across);
  CAPTURE(across);
  CHECK(across.find('/') != std::string::npos);
  // On nodes with unequal numbers of ranks, coll/han leaves a bcast to coll/tuned, but not an
  // allreduce.
  CHECK(decided("Open MPI 5.0", Collective::bcast, 61, 8, 1024).path.front().chosen ==
        "coll/tuned");
  CHECK(decided("Open MPI 5.0", Collective::allreduce, 61, 8, 1024).path.front().chosen ==
        "coll/han");
  // If a reduce_scatter calls reduce on the communicator, coll/han provides the reduce.
  CHECK(decided("Open MPI 5.0", Collective::reduce_scatter, 64, 8, 64).choice.algorithm.empty());
  CHECK(decided("Open MPI 4.1", Collective::reduce_scatter, 64, 8, 64).choice.algorithm ==
        "nonoverlapping");
}

}}  // namespace tutti::test_open_mpi
