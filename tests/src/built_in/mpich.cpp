// Compares tutti's tables of MPICH's default algorithms with MPICH's own functions.
//
// mpich_replay.csv contains random calls and, for each, the decision of the library's code. To
// obtain the decisions, these sources of v4.0.2, v4.1, v4.2.0 and v4.3.0 were compiled with stubs
// for the rest of the library: csel.c, which read the three files generic.json in
// maint/tuning/coll; ch4_coll.h and ch4_coll_impl.h, whose calls on communicators were recorded for
// ranks on the first, the second and the last node. The last column names the composition. For each
// call that MPICH makes on all ranks, on a node or between nodes, it also states the number of
// ranks, the collective, the algorithm that the level "Coll" chooses, and whether the level "posix"
// chooses an algorithm, which takes precedence.
//
// 10,000 further calls of each version were compared once in the same way. The environment variable
// TUTTI_MPICH_REPLAY selects another file.
#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "src/built_in/built_in.hpp"
#include "src/built_in/mpich/selection.hpp"
#include "src/rule_files/mpich/tree.hpp"
#include "src/rule_files/rule_file.hpp"
#include "tests/src/built_in/replayed_calls.hpp"

namespace tutti::test_mpich { namespace {

std::vector<ReplayedCall> mpich_calls() {
  return replayed_calls("mpich_replay.csv", "TUTTI_MPICH_REPLAY");
}

// Returns "binomial k=2" for the choice "MPIR_Bcast_intra_binomial, k=2".
std::string algorithm_of(const LibraryLevel& level) {
  std::string text = level.chosen;
  for (const std::string_view kind : {"_intra_", "_allcomm_"}) {
    if (const std::size_t at = text.find(kind); at != std::string::npos) {
      text = text.substr(at + kind.size());
    }
  }
  const std::size_t radix = text.find(", k=");
  return text.substr(0, text.find(',')) +
         (radix == std::string::npos ? "" : " " + text.substr(radix + 2));
}

// Returns "on 8 bcast" if `level.ranks` is "8 ranks on each node, bcast of one byte".
std::string whom(const LibraryCall& call, const LibraryLevel& level) {
  if (level.ranks == "all ranks") {
    return fmt::format("all {} {}", call.ranks, name(call.collective));
  }
  const bool between = level.ranks.find("the first of each node") != std::string::npos;
  const std::string ranks = level.ranks.substr(0, level.ranks.find(' '));
  for (const Collective each : kCollectives) {
    const std::string named = fmt::format(", {}", name(each));
    const std::size_t at = level.ranks.find(named);
    if (at != std::string::npos &&
        (at + named.size() == level.ranks.size() || level.ranks.at(at + named.size()) == ' ')) {
      return fmt::format("{} {} {}", between ? "between" : "on", ranks, name(each));
    }
  }
  return level.ranks;
}

// Formats a decision as in the replay file.
std::string printed(const LibraryCall& call, const LibraryDecision& decision) {
  std::set<std::string> all;
  bool posix = false;
  for (const LibraryLevel& level : decision.path) {
    if (level.decided_by == "ch4 composition") {
      const std::size_t begin = level.chosen.rfind("_composition_") + 13;
      all.insert(level.chosen.substr(begin, level.chosen.find(':') - begin));
    } else if (level.decided_by == "posix") {
      posix = true;
    } else {
      all.insert(fmt::format("{} {}{}", whom(call, level), algorithm_of(level),
                             posix ? ", release_gather" : ""));
      posix = false;
    }
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

TEST_CASE("MPICH's decisions equal those of its own functions") {
  const std::vector<ReplayedCall> calls = mpich_calls();
  check_decisions(calls, printed);
  CHECK(calls_between_nodes(calls) >= 150);
  std::set<std::string> versions;
  for (const ReplayedCall& each : calls) {
    versions.insert(each.version);
  }
  CHECK(versions.size() == 4);
}

TEST_CASE(
    "each decision of MPICH gives a schedule that can be made, or a reason why there is none") {
  const std::vector<std::string> made = check_schedules(mpich_calls());
  CHECK(made.size() > 1000);
  CHECK(std::count(made.begin(), made.end(), "hierarchical") > 50);
}

LibraryDecision decided(std::string_view version, Collective collective, std::uint32_t ranks,
                        std::uint32_t ranks_per_node, std::uint64_t bytes) {
  const LibraryCall call{collective, ranks, ranks_per_node, bytes, 8};
  return mpich_decision(library_version_named("version", version), call);
}

TEST_CASE("MPICH's compositions become hierarchies of its own form") {
  const LibraryDecision small = decided("MPICH 4.2", Collective::bcast, 64, 8, 1024);
  CHECK(small.choice.algorithm == "hierarchical");
  CHECK(small.choice.options.text(Option::composition) == "mpich_alpha");
  CHECK(small.choice.options.text(Option::within) == "binomial");
  const LibraryDecision medium = decided("MPICH 4.2", Collective::bcast, 64, 8, 65536);
  CHECK(medium.choice.options.text(Option::composition) == "mpich_beta");
  CHECK(medium.choice.options.text(Option::across) == "scatter_doubling:mpich");
  // From 512 KiB on, MPICH makes a single call on all ranks.
  const LibraryDecision large =
      decided("MPICH 4.2", Collective::bcast, 64, 8, std::uint64_t{1} << 20U);
  CHECK(large.choice.algorithm == "scatter_allgather");
  const LibraryDecision barrier = decided("MPICH 4.3", Collective::barrier, 64, 8, 0);
  CHECK(barrier.choice.options.text(Option::within) == "dissemination+binomial");
  const LibraryDecision sum =
      decided("MPICH 4.0", Collective::allreduce, 64, 8, std::uint64_t{1} << 16U);
  CHECK(sum.choice.options.text(Option::within) == "reduce_scatter_gather+scatter_doubling:mpich");
}

TEST_CASE("MPICH's ring of an allgatherv sends large blocks in pieces, unlike ours") {
  constexpr std::uint64_t kBlock = 32768;
  const LibraryDecision whole = decided("MPICH 4.0", Collective::allgatherv, 12, 1, 12 * kBlock);
  CHECK(whole.choice.algorithm == "ring");
  const LibraryDecision pieces =
      decided("MPICH 4.0", Collective::allgatherv, 12, 1, 12 * kBlock + 8);
  CHECK(pieces.choice.algorithm.empty());
  CHECK_FALSE(pieces.lacking.empty());
}

TEST_CASE("if MPICH sends nothing there is no schedule, and the reason is given") {
  for (const LibraryDecision& made : {decided("MPICH 4.3", Collective::bcast, 1, 1, 64),
                                      decided("MPICH 4.0", Collective::allreduce, 8, 4, 0)}) {
    CHECK(made.path.size() == 1);
    CHECK(made.choice.algorithm.empty());
    CHECK_FALSE(made.lacking.empty());
  }
  CHECK_FALSE(decided("MPICH 4.0", Collective::barrier, 8, 4, 0).choice.algorithm.empty());
}

// Returns the library's name of the algorithm that tutti's tables choose.
std::string from_tables(Collective collective, std::uint32_t ranks, std::uint64_t bytes) {
  PartCall call;
  call.collective = collective;
  call.ranks = ranks;
  call.bytes = bytes;
  const std::string chosen = mpir_decision(400, call).path.front().chosen;
  return chosen.substr(0, chosen.find(','));
}

TEST_CASE("MPICH's built-in tables match the tree at the beginning of its rule files") {
  nlohmann::ordered_json tree = nlohmann::ordered_json::object();
  for (const std::string_view collective : mpich_collectives()) {
    tree[fmt::format("collective={}", collective)] = mpich_built_in(collective, 400);
  }
  const RuleFile read = read_rules(tree.dump(1), RuleFormat::mpich);
  std::size_t collectives = 0;
  for (const DecisionTable& table : read.tables) {
    if (table.collective == Collective::barrier || table.collective == Collective::scan) {
      continue;  // on nodes with several ranks, MPICH splits these two into several calls
    }
    ++collectives;
    for (const std::uint32_t ranks : {2U, 7U, 8U, 9U, 12U, 64U}) {
      for (const std::uint64_t edge : {8U, 256U, 2048U, 12288U, 32768U, 81920U, 524288U}) {
        for (const std::uint64_t bytes :
             {edge - 1, edge, edge + 1, (edge - 1) * ranks, edge * ranks, (edge + 1) * ranks}) {
          const auto chosen = look_up(table, ranks, bytes, 1);
          REQUIRE(chosen);
          CAPTURE(name(table.collective), ranks, bytes);
          CHECK(from_tables(table.collective, ranks, bytes) == chosen->choice->library_algorithm);
        }
      }
    }
  }
  CHECK(collectives >= 13);
}

}}  // namespace tutti::test_mpich
