// Compares explanations that need no second run with those that do: an explanation from a run that
// recorded all operations, and an explanation from one rank in place of all.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "src/output/explanation_text.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "src/simulation/explain/one_rank.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_one_run {

namespace {

Machine machine_on(const std::string& file, std::uint32_t ranks, std::uint32_t ports) {
  Machine machine;
  if (!file.empty()) {
    machine.spec.source.file = source_dir() + "/platforms/" + file;
    open_platform(machine.spec, machine.files);
  }
  place_ranks(machine, ranks, 1);
  choose_engine(machine);
  machine.setup.ports = ports;
  return machine;
}

Simulation run_of_all(const Algorithm& algorithm, const Problem& problem, Machine machine) {
  machine.spec.symmetry = SymmetryUse::off;
  return simulate(algorithm, problem, machine, Detail::times_only);
}

std::string text_of(const Explanation& explanation) {
  std::ostringstream text;
  print_explanation(explanation, text);
  return text.str();
}

void check_equal(const Explanation& a, const Explanation& b) {
  CHECK(text_of(a) == text_of(b));
  CHECK(a.account.chain == b.account.chain);
  REQUIRE(a.account.pieces.size() == b.account.pieces.size());
  bool same = true;
  for (std::size_t i = 0; i < a.account.pieces.size(); ++i) {
    const Piece& x = a.account.pieces[i];
    const Piece& y = b.account.pieces[i];
    same = same && x.step == y.step && x.on == y.on && x.link == y.link && x.seconds == y.seconds;
  }
  CHECK(same);
  REQUIRE(a.links.size() == b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    const LinkStatistics& x = a.links[i].link.statistics;
    const LinkStatistics& y = b.links[i].link.statistics;
    same = same && x.link == y.link && x.bytes == y.bytes && x.busy_s == y.busy_s &&
           x.lost_s == y.lost_s && x.most_at_once == y.most_at_once &&
           a.links[i].lost_on_chain_s == b.links[i].lost_on_chain_s &&
           a.links[i].link.senders == b.links[i].link.senders &&
           a.links[i].link.levels == b.links[i].link.levels;
  }
  CHECK(same);
  REQUIRE(a.stretches.size() == b.stretches.size());
  for (std::size_t i = 0; i < a.stretches.size(); ++i) {
    const FlowStretch& x = a.stretches[i];
    const FlowStretch& y = b.stretches[i];
    same = same && x.id == y.id && x.link == y.link && x.from_s == y.from_s &&
           x.until_s == y.until_s && x.moving_s == y.moving_s;
  }
  CHECK(same);
  CHECK(a.routes.used.links == b.routes.used.links);
}

}  // namespace

TEST_CASE("A run that records all operations is explained as after a second run") {
  std::size_t recorded = 0;
  for (const char* const file : {"torus_64.xml", "infiniband_hdr_128_thin.xml", ""}) {
    for (const char* const name : {"alltoall/pairwise", "alltoall/linear", "allreduce/ring",
                                   "bcast/binomial", "allreduce/rabenseifner", "gather/linear"}) {
      for (const std::uint32_t ports : {1U, 2U, kUnlimitedPorts}) {
        for (const Watch watch : {Watch::chain, Watch::everything}) {
          INFO(name << " on " << file << ", ports " << ports);
          const Algorithm& algorithm = algorithm_named(name);
          const Problem problem = problem_of(algorithm, 24, 100'000);
          Machine machine = machine_on(file, problem.ranks, ports);
          const Explanation twice = explain(run_of_all(algorithm, problem, machine), watch);
          watch_run(machine, watch);
          Simulation run = run_of_all(algorithm, problem, machine);
          CHECK((!run.record.flows.complete || !run.result.waited));
          recorded += run.record.flows.complete ? 1 : 0;
          check_equal(explain(std::move(run), watch), twice);
        }
      }
    }
  }
  CHECK(recorded > 30);
}

TEST_CASE("The explanation of one rank reads as that of all ranks") {
  std::size_t explained = 0;
  for (const Algorithm* const algorithm : algorithms()) {
    for (const std::uint32_t ranks : {2U, 8U, 13U, 16U}) {
      for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
        const Problem problem = problem_of(*algorithm, ranks, 10'000);
        if (algorithm->refusal != nullptr && algorithm->refusal(problem)) {
          continue;
        }
        const Machine machine = machine_on("", ranks, ports);
        const auto one = explain_one_rank(*algorithm, problem, machine, true);
        if (!one) {
          continue;
        }
        INFO(algorithm->full_name() << " on " << ranks << " ranks, ports " << ports);
        ++explained;
        Machine all = machine;
        all.spec.symmetry = SymmetryUse::off;
        Explanation whole = explain(run_of_all(*algorithm, problem, all));
        whole.limit = limit_gap(whole.run, whole.account, false);
        whole.improvements = what_would_help(whole.run, all);
        CHECK(text_of(*one) == text_of(whole));
        CHECK(one->run.result.ops == whole.run.result.ops);
        CHECK(one->run.result.simulated_s == whole.run.result.simulated_s);
        for (std::size_t i = 0; i < whole.improvements->found.size(); ++i) {
          CHECK(one->improvements->found[i].simulated_s ==
                whole.improvements->found[i].simulated_s);
        }
      }
    }
  }
  CHECK(explained > 20);
}

TEST_CASE("One rank does not explain runs in which links hold messages back") {
  const Algorithm& algorithm = algorithm_named("alltoall/linear");
  const Problem problem = problem_of(algorithm, 8, 10'000);
  CHECK(!explain_one_rank(algorithm, problem, machine_on("", 8, kUnlimitedPorts), false));
}

}  // namespace tutti::test_one_run
