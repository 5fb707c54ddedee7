// Tests the command `tutti verify`: its output, its exit codes, and its messages about wrong
// schedules.
#include "src/experiments/runner/proof_cells.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <limits>
#include <optional>
#include <sstream>

#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/formats/printed_messages.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_verify {

using Catch::Matchers::Contains;

namespace {

struct ProofOutput {
  int code;
  std::string out;
  std::string err;
};

ProofOutput run_verify(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "verify");
  std::ostringstream out;
  std::ostringstream err;
  PrintedMessages messages(err);
  const int code = run(arguments, {out, messages});
  return {code, out.str(), err.str()};
}

// A broadcast that lacks a dependency: rank 1 may forward the vector before it has received it.
const Algorithm kForgetful{
    .collective = Collective::bcast,
    .name = "forgetful",
    .idea = "",
    .source = "",
    .cost = "alpha",
    .layout = one_block,
    .exact_s = [](const Problem&, const Prices& prices) { return std::optional(prices.alpha_s); },
    .emit =
        [](const Problem&, ScheduleBuilder& builder) {
          builder.comm({0, 0}, 0, 1, {{0, 1}, kWork, kWork}, {});
          builder.comm({1, 0}, 1, 2, {{0, 1}, kWork, kWork}, {});
        },
};

}  // namespace

TEST_CASE("verify refuses options that none of its algorithms takes") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& words) {
    const ProofOutput done = run_verify(arguments);
    CAPTURE(words, done.out);
    CHECK(done.code == kExitBadInput);
    CHECK(done.out.empty());
    CHECK_THAT(done.err, Contains(words));
  };
  refused({"allgather", "-p", "4", "--tree", "chain"}, "no algorithm of allgather takes --tree");
  refused({"gatherv", "-p", "4", "--cores-per-node", "2"}, "takes --cores-per-node");
  refused({"allreduce", "-p", "4", "--root", "1"}, "allreduce has no root");
  refused({"bcast", "-p", "4", "--fold", "far"}, "no algorithm of bcast takes --fold");
  refused({"all", "-p", "4", "--limit", "steps=5"}, "only to programs");
  refused({"gatherv", "-p", "4", "--ranks-per-host", "2"}, "--ranks-per-host '2'");
  for (const char* barriers : {"barrier", "barrier/linear"}) {
    refused({barriers, "-p", "4", "-n", "8"}, "'8': a barrier moves no data");
    CHECK(run_verify({barriers, "-p", "4", "-n", "0"}).code == kExitOk);
  }
  // If only some of the algorithms take an option, it applies to these algorithms.
  CHECK(run_verify({"allreduce", "-p", "4..6", "--fold", "far"}).code == kExitOk);
  CHECK(run_verify({"bcast", "-p", "4", "--tree", "binary", "--root", "1"}).code == kExitOk);
  CHECK(run_verify({"bcast", "-p", "4", "--ranks-per-host", "2"}).code == kExitOk);
  CHECK(run_verify({"all", "-p", "4", "--root", "1", "-n", "128"}).code == kExitOk);
}

TEST_CASE("verify finds a size for as many ranks as a schedule can have") {
  const ProofOutput done = run_verify({"bcast/binomial", "-p", "1500000"});
  CHECK(done.code == kExitOk);
  CHECK_THAT(done.out, Contains("proved 1"));
  CHECK(run_verify({"scatter/linear", "-p", "9", "--elem-bytes", "1M"}).code == kExitOk);
  CHECK(run_verify({"reduce_scatter/ring", "-p", "3", "--block-bytes", "8,8,16"}).code == kExitOk);
  for (const char* ranks : {"8388609", "4,4294967295"}) {
    const ProofOutput refused = run_verify({"bcast/binomial", "-p", ranks});
    CHECK(refused.code == kExitBadInput);
    CHECK_THAT(refused.err, Contains("-p/--ranks") && Contains("up to 8388608"));
  }
}

TEST_CASE("verify prints one line per algorithm") {
  const ProofOutput done =
      run_verify({"allreduce/recursive_doubling", "-p", "2..8", "--fold", "far"});
  CHECK(done.code == kExitOk);
  CHECK_THAT(done.out, Contains("allreduce/recursive_doubling  proved 7"));
  CHECK_THAT(done.out, Contains("rank order is kept for p = 2, 4, 8\n"));
  const ProofOutput rooted = run_verify({"reduce/binomial", "-p", "2..8", "--root", "all"});
  CHECK_THAT(rooted.out, Contains("proved 35"));
  CHECK_THAT(rooted.out, Contains("rank order is kept for root 0 only\n"));
  const ProofOutput at_one =
      run_verify({"reduce/pipeline", "--tree", "binary", "-p", "2..8", "--root", "all"});
  CHECK_THAT(at_one.out, Contains("rank order is kept for root 0 of p = 2, 3\n"));
  const ProofOutput at_few = run_verify({"reduce/circulant", "-p", "2..8", "--root", "all"});
  CHECK_THAT(at_few.out, Contains("rank order is kept for p = 2, 3\n"));
  const ProofOutput all = run_verify({"all", "-p", "1..6"});
  CHECK(all.code == kExitOk);
  for (const Algorithm* algorithm : algorithms()) {
    CHECK_THAT(all.out, Contains(algorithm->full_name() + " "));
  }
}

TEST_CASE("verify refuses problems that no algorithm can run, with one line") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"allredce", "-p", "4"},
                                                    {"all", "-p", "64..2"},
                                                    {"all"},
                                                    {"allreduce", "-p", "0"},
                                                    {"allreduce/ring", "-p", "4", "-n", "8"},
                                                    {"allreduce/ring", "-p", "4", "--root", "all"},
                                                    {"bcast/linear", "-p", "4", "--root", "4"}}) {
    const ProofOutput done = run_verify(arguments);
    CAPTURE(arguments);
    CHECK(done.code == kExitBadInput);
    CHECK(done.out.empty());
    CHECK(std::count(done.err.begin(), done.err.end(), '\n') == 1);
  }
  // The first of the two sizes is too small for the ring, which the output reports.
  const ProofOutput some = run_verify({"allreduce/ring", "-p", "4", "-n", "8,64"});
  CHECK(some.code == kExitOk);
  CHECK_THAT(some.out, Contains("proved 1, refused 1"));
  CHECK_THAT(some.out, Contains("refused first at p = 4, n = 8: "));
}

TEST_CASE("verdicts are written as JSON") {
  const ProofOutput done = run_verify({"reduce", "-p", "5", "--root", "2", "--json", "-"});
  CHECK(done.code == kExitOk);
  const auto json = nlohmann::json::parse(done.out);
  int proved = 0;
  for (const auto& verdict : json) {
    CHECK(verdict["schema"] == "tutti-verify/1");
    CHECK(verdict["root"] == 2);
    if (verdict.contains("refused")) {
      continue;  // the algorithm refuses odd numbers of ranks
    }
    ++proved;
    CHECK(verdict["proved"] == true);
    CHECK(verdict["findings"].empty());
  }
  CHECK(proved >= 5);
}

TEST_CASE("cells are proved in parallel, and returned in order") {
  std::vector<ProofCell> cells;
  for (std::uint32_t p = 1; p <= 12; ++p) {
    cells.push_back(
        {&algorithm_named("allreduce/ring"), problem_of(Collective::allreduce, p, 8 * p)});
  }
  const auto outcomes = prove_all(cells, [](std::size_t) {});
  REQUIRE(outcomes.size() == cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CHECK(outcomes[i].verdict.proved());
    CHECK(outcomes[i].verdict.rounds == 2 * i);
  }
}

TEST_CASE("a cell reports a broken schedule, and a closed form that does not hold") {
  const Problem problem = problem_of(Collective::bcast, 3, 1);
  const ProofOutcome outcome = prove({&kForgetful, problem});
  CHECK_FALSE(outcome.refusal);
  CHECK_FALSE(outcome.verdict.proved());
  CHECK(outcome.verdict.count(FindingKind::race) == 1);
  CHECK(outcome.verdict.count(FindingKind::claim) == 1);
  CHECK_THAT(outcome.verdict.findings.back().text,
             Contains("the closed form gives 1 us, but the longest path takes"));
}

TEST_CASE("a closed form that is not a number does not hold") {
  Algorithm faulty = kForgetful;
  faulty.exact_s = [](const Problem&, const Prices&) {
    return std::optional(std::numeric_limits<double>::quiet_NaN());
  };
  const Problem problem = problem_of(Collective::bcast, 3, 1);
  CHECK(prove({&faulty, problem}).verdict.count(FindingKind::claim) == 1);
}

TEST_CASE("an exception in a proof leaves the pool of threads") {
  Algorithm faulty = kForgetful;
  faulty.emit = [](const Problem&, ScheduleBuilder& builder) {
    builder.comm({0, 0}, 0, 0, {{0, 1}, kWork, kWork}, {});
  };
  const Problem problem = problem_of(Collective::bcast, 2, 1);
  CHECK_THROWS_AS(prove_all({{&faulty, problem}, {&faulty, problem}}, [](std::size_t) {}),
                  InvariantError);
}

}  // namespace tutti::test_verify
