#include "src/experiments/ran/rules_ran.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "src/output/rules_ran_output.hpp"

namespace tutti::test_rules_ran { namespace {

using Catch::Contains;

// The rules of a tuner of NCCL: tree below 2048 bytes, ring below 1 MiB, and no rule above.
RuleFile nccl_rules() {
  RuleFile file;
  file.format = RuleFormat::nccl;
  DecisionTable& table = file.tables.emplace_back();
  table.collective = Collective::allreduce;
  for (const auto& [algorithm, below, line] :
       {std::tuple("tree", 2048U, 1U), std::tuple("ring", 1U << 20U, 2U)}) {
    Rule& rule = table.rules.emplace_back();
    rule.bytes_below = below;
    rule.line = line;
    rule.choice.emplace();
    rule.choice->library_algorithm = algorithm;
    rule.choice->protocol = "ll";
  }
  return file;
}

RunLog nccl_log() {
  RunLog log;
  log.family = "NCCL";
  log.tuner_applied = true;
  const auto add = [&](std::uint64_t bytes, double calls, const char* algorithm) {
    log.calls.push_back({Collective::allreduce, 8, bytes, calls, algorithm, "ll"});
  };
  add(1024, 3, "tree");
  add(1024, 2, "ring");
  add(4096, 4, "");
  add(8 << 20, 5, "ring");
  return log;
}

TEST_CASE("a rule is used by the calls that run its algorithm") {
  const auto ran = rules_ran("rules.csv", "", nccl_rules(), {}, nccl_log(), std::nullopt);
  REQUIRE(ran.rules.size() == 2);
  CHECK(ran.rules[0].line == 1);
  CHECK(ran.rules[0].used == 3);
  REQUIRE(ran.rules[0].others.size() == 1);
  CHECK(ran.rules[0].others[0].calls == 2);
  CHECK(ran.rules[0].others[0].why == "NCCL ran ring/ll");
  CHECK(ran.rules[1].used == 0);
  REQUIRE(ran.rules[1].unknown.size() == 1);
  CHECK(ran.rules[1].unknown[0].calls == 4);
  REQUIRE(ran.without_rule.size() == 1);
  CHECK(ran.without_rule[0].calls == 5);
  CHECK_THAT(ran.without_rule[0].what, Contains("8 ranks, 8 MiB") && Contains("NCCL ran ring/ll"));
  CHECK(ran.notes.empty());
}

TEST_CASE("a log without a tuner's line does not show that rules were applied") {
  RunLog log = nccl_log();
  log.tuner_applied = false;
  const auto ran = rules_ran("rules.csv", "", nccl_rules(), {}, log, std::nullopt);
  REQUIRE(ran.notes.size() == 1);
  CHECK_THAT(ran.notes[0], Contains("no line of the log says that a tuner applied rules"));
}

TEST_CASE("a log of another library is refused") {
  RunLog log = nccl_log();
  log.family = "MPICH";
  CHECK_THROWS_WITH(rules_ran("rules.csv", "", nccl_rules(), {}, log, std::nullopt),
                    Contains("the log is of MPICH"));
  log.family = "Open MPI";
  RuleFile open_mpi = nccl_rules();
  open_mpi.format = RuleFormat::ompi4;
  CHECK_THROWS_WITH(rules_ran("tuned.conf", "", open_mpi, {}, log, std::nullopt),
                    Contains("--library"));
}

TEST_CASE("only rules that name a library's algorithms can be seen in a run") {
  CHECK(run_shows(RuleFormat::nccl));
  CHECK(run_shows(RuleFormat::ompi4));
  CHECK_FALSE(run_shows(RuleFormat::tutti));
  CHECK_FALSE(run_shows(RuleFormat::han));
  CHECK_FALSE(run_shows(RuleFormat::ucc));
}

TEST_CASE("the output says how often each rule was used, and what ran instead") {
  const auto ran = rules_ran("rules.csv", "", nccl_rules(), {}, nccl_log(), std::nullopt);
  std::ostringstream out;
  print_rules_ran(ran, RuleFormat::nccl, out);
  CHECK_THAT(out.str(), Contains("used 3 times") && Contains("not for 2 calls: NCCL ran ring/ll") &&
                            Contains("not known"));
}

}}  // namespace tutti::test_rules_ran
