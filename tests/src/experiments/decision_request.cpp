// Tests decisions, and rules of a site, that are requested with structs instead of a command line.
#include "src/experiments/decisions/decision_request.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "src/experiments/decisions/leads.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/sites/site_files.hpp"
#include "src/experiments/sites/site_request.hpp"
#include "src/output/decision_rules.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"
#include "src/simulation/machine.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_decision_request {

using Catch::Contains;

namespace {

DecisionRequest request_of(Collective collective, std::vector<std::uint32_t> ranks,
                           std::vector<std::uint64_t> sizes,
                           const std::vector<std::string>& algorithms = {}) {
  DecisionRequest request;
  request.collective = collective;
  request.problems.ranks = std::move(ranks);
  request.problems.bytes = std::move(sizes);
  for (const std::string& name : algorithms) {
    request.who.only.push_back(&algorithm_of(collective, name));
  }
  return request;
}

std::string refusal_of(DecisionRequest request) {
  try {
    (void)prepare_decision(std::move(request));
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "";
}

Decision decided(DecisionRequest request) {
  Decision decision = prepare_decision(std::move(request)).decision;
  KeptMessages nobody;
  const auto runner = local_runner(decision.machines.front(), 2, nobody);
  carry_out(decision, runner.get(), 2, false);
  CHECK_FALSE(runner->sum_up());
  return decision;
}

}  // namespace

TEST_CASE("the grid of a decision is sorted, and has each number once") {
  const Decision decision =
      prepare_decision(request_of(Collective::allreduce, {8, 4, 8}, {64, 8, 64})).decision;
  CHECK(decision.ranks == std::vector<std::uint32_t>{4, 8});
  CHECK(decision.sizes_bytes == std::vector<std::uint64_t>{8, 64});
  REQUIRE(decision.decisions.size() == 2);
  CHECK(decision.decisions[1].cells.size() == 2);
  REQUIRE(decision.machines.size() == 2);
  CHECK(decision.machines[0].mapping.ranks == 4);
  CHECK(decision.machines[1].spec.source.crossbar.hosts == 8);
}

TEST_CASE("sizes given per block grow with the ranks") {
  DecisionRequest request = request_of(Collective::allgather, {4, 8}, {16});
  request.sizes_are_blocks = true;
  const Decision decision = prepare_decision(std::move(request)).decision;
  CHECK(decision.decisions[0].cells.front().bytes == 64);
  CHECK(decision.decisions[1].cells.front().bytes == 128);
}

TEST_CASE("a barrier has only one size") {
  CHECK(prepare_decision(request_of(Collective::barrier, {4}, {})).decision.sizes_bytes ==
        std::vector<std::uint64_t>{0});
  CHECK_THAT(refusal_of(request_of(Collective::barrier, {4}, {8})),
             Contains("a barrier moves no data"));
}

TEST_CASE("impossible decisions are refused before anything runs") {
  CHECK_THAT(refusal_of(request_of(Collective::bcast, {4}, {})), Contains("the size is missing"));
  CHECK_THAT(refusal_of(request_of(Collective::bcast, {4}, {12})),
             Contains("not a whole number of 8-byte elements"));
  DecisionRequest late = request_of(Collective::bcast, {4}, {8});
  late.by = TimedBy::exact;
  late.machine.spec.disturbance.late_to_s = 1;
  CHECK_THAT(refusal_of(late), Contains("closed forms cannot include late ranks"));
  DecisionRequest measured = request_of(Collective::bcast, {4}, {8});
  measured.by = TimedBy::measured;
  measured.machine.spec.what_ifs = {"bw*2"};
  CHECK_THAT(refusal_of(measured), Contains("measured times cannot include what-ifs"));
  DecisionRequest untaken = request_of(Collective::barrier, {4}, {});
  untaken.problems.given_options = {{Option::tree, "$tree", "binary"}};
  CHECK_THAT(refusal_of(untaken), Contains("no algorithm of barrier takes --tree"));
}

TEST_CASE("each placement has its own machine, on hosts drawn by its own seed") {
  DecisionRequest request = request_of(Collective::bcast, {4, 8}, {8});
  request.machine.spec.source.file = source_dir() + "/platforms/infiniband_hdr_128.xml";
  open_platform(request.machine.spec, request.machine.files);
  request.machine.spec.disturbance.seed = 7;
  request.placements = 3;
  const Decision decision = prepare_decision(std::move(request)).decision;
  CHECK(decision.placements() == 3);
  CHECK(decision.first_seed == 7);
  REQUIRE(decision.machines.size() == 6);
  for (std::size_t i = 0; i < decision.machines.size(); ++i) {
    CHECK(decision.machines[i].spec.placement_seed == 7 + i / 2);
    CHECK(decision.machines[i].mapping.ranks == (i % 2 == 0 ? 4 : 8));
  }
}

TEST_CASE("placements cannot draw beyond the last seed") {
  DecisionRequest request = request_of(Collective::bcast, {4}, {8});
  request.machine.spec.disturbance.seed = 0xffffffffU;
  request.placements = 2;
  CHECK_THAT(refusal_of(request), Contains("--seed '4294967295': the next 1 seeds are used too"));
}

TEST_CASE("rules choose the fastest, and record its lead") {
  Decision decision = decided(
      request_of(Collective::allreduce, {16}, {128, 1U << 20U}, {"recursive_doubling", "ring"}));
  const RankDecision& each = decision.decisions.front();
  REQUIRE(each.intervals.size() == 2);
  const auto name_at = [&](std::size_t interval) {
    return decision.candidates[each.intervals[interval].candidate].contender.algorithm->name;
  };
  CHECK(name_at(0) == "recursive_doubling");
  CHECK(name_at(1) == "ring");
  CHECK(each.leads.empty());
  find_leads(decision, LeadsToExplain::all);
  REQUIRE(each.leads.size() == 2);
  const Lead& small = each.leads.front();
  REQUIRE(small.known());
  REQUIRE(small.second);
  CHECK(decision.candidates[*small.second].contender.algorithm->name == "ring");
  // At 128 bytes, recursive doubling needs 4 sequential messages, and the ring needs 30. The
  // simulation of the ring stops at twice the best time.
  CHECK(small.most >= 1);
  CHECK(small.open);
  CHECK(small.least <= small.most);
  CHECK(small.links.empty());  // no two messages share a link of a crossbar
  CHECK_THAT(lead_in_words(decision, each, 0), Contains("start-up") && Contains("for ring"));
}

TEST_CASE("if links decide, the lead names them, and no case runs twice for it") {
  DecisionRequest request = request_of(Collective::allreduce, {48, 64}, {1U << 16U, 1U << 20U},
                                       {"rabenseifner", "circulant", "ring"});
  request.machine.spec.source.file = source_dir() + "/platforms/infiniband_hdr_128_thin.xml";
  open_platform(request.machine.spec, request.machine.files);
  Decision decision = decided(std::move(request));
  std::set<std::tuple<std::string, std::uint32_t, std::uint64_t>> watched;
  std::size_t runs = 0;
  find_leads(decision, LeadsToExplain::all, [&](const Case& what) {
    ++runs;
    watched.emplace(std::string(what.algorithm->name) + options_text(*what.algorithm, what.problem),
                    what.problem.ranks, what.problem.bytes);
    return account_for_lead(what);
  });
  CHECK(runs > 0);
  CHECK(runs == watched.size());
  std::size_t explained = 0;
  for (const RankDecision& each : decision.decisions) {
    for (std::size_t i = 0; i < each.leads.size(); ++i) {
      const std::string& links = each.leads[i].links;
      explained += links.find("lost to ") != links.npos ? 1 : 0;
      CHECK_THAT(lead_in_words(decision, each, i), Contains(links));
    }
  }
  CHECK(explained > 0);
}

TEST_CASE("there are no steps if everything is left to the library") {
  Decision decision = decided(request_of(Collective::bcast, {4, 8}, {8}, {"binomial"}));
  CHECK(steps_decided(decision).size() == 1);  // same decision for both numbers of ranks
  decision.candidates.front().choice = choice_left_to_library();
  CHECK(steps_decided(decision).empty());
}

TEST_CASE("a site's rules end where they were decided, and between decided ranks where they lose") {
  SiteRequest request;
  request.release = library_release_named("the test", "Open MPI 4.1.6");
  request.form = RuleFormat::ompi4;
  DecisionRequest& each =
      request.decisions.emplace_back(request_of(Collective::allreduce, {4, 8}, {}));
  each.who.library = request.form;
  each.who.release = request.release.release;
  request.ranks_per_host = {2};
  bool lost = false;
  KeptMessages nobody;
  Site site = decide_site(
      request,
      [&](const Decision& decision) { return local_runner(decision.machines.front(), 2, nobody); },
      lost);
  CHECK_FALSE(lost);
  REQUIRE(site.parts.size() == 1);
  const auto own_choice = [&](std::uint32_t ranks, std::uint64_t bytes) {
    const InstalledRules rules = rules_in_force(site, 2);
    REQUIRE(rules.tuned.size() == 1);
    const auto chosen = look_up(rules.tuned.front(), ranks, bytes, 8);
    REQUIRE(chosen);
    return chosen->choice->left_to_library;
  };
  std::vector<std::uint64_t> ruled;  // sizes for which there is a rule on 4 ranks
  site.parts.front().decision.decisions.front().ends_at.clear();
  for (std::uint64_t bytes = 8; bytes <= 1U << 21U; bytes *= 8) {
    for (const std::uint32_t ranks : {2U, 3U, 9U, 100U}) {
      CHECK(own_choice(ranks, bytes));
    }
    CHECK(own_choice(5, bytes) == own_choice(4, bytes));
    if (!own_choice(4, bytes)) {
      ruled.push_back(bytes);
    }
  }
  REQUIRE_FALSE(ruled.empty());
  site.parts.front().decision.decisions.front().ends_at = {ruled.front()};
  CHECK_FALSE(own_choice(4, ruled.front()));
  CHECK(own_choice(5, ruled.front()));
  CHECK(own_choice(7, ruled.front()));
}

TEST_CASE("a site has the same files, whether its decisions are made at once or one by one") {
  SiteRequest request;
  request.release = library_release_named("the test", "Open MPI 5.0.6");
  request.form = form_written_for(request.release);
  for (const Collective collective : {Collective::allreduce, Collective::bcast}) {
    DecisionRequest& each = request.decisions.emplace_back(request_of(collective, {4, 8}, {}));
    each.who.library = request.form;
    each.who.release = request.release.release;
  }
  request.ranks_per_host = {1, 2};
  request.jobs = 2;
  std::vector<std::string> texts;
  std::vector<std::size_t> counts;  // number of runners
  for (const bool one_runner : {false, true}) {
    request.one_runner = one_runner;
    bool lost = false;
    std::size_t runners = 0;
    KeptMessages nobody;
    const Site site = decide_site(
        request,
        [&](const Decision& decision) {
          ++runners;
          return local_runner(decision.machines.front(), 2, nobody);
        },
        lost);
    CHECK_FALSE(lost);
    CHECK(site.parts.size() == 4);
    counts.push_back(runners);
    std::string& text = texts.emplace_back();
    for (const SiteFile& file : site_files(site, nullptr)) {
      text += file.name + "\n" + file.text;
    }
  }
  CHECK(counts.front() == counts.back() + 3);  // one runner for four decisions
  CHECK_FALSE(texts.front().empty());
  CHECK(texts.front() == texts.back());
}

TEST_CASE("a site leaves out ranks that its hosts have no room for, and reports them") {
  SiteRequest request;
  request.release = library_release_named("the test", "MPICH 4.2");
  request.form = form_written_for(request.release);
  DecisionRequest& each =
      request.decisions.emplace_back(request_of(Collective::bcast, {4, 64}, {8}));
  each.who.library = request.form;
  each.machine.spec.source.crossbar.hosts = 4;
  each.machine.spec.crossbar_named = true;
  request.ranks_per_host = {1};
  bool lost = false;
  KeptMessages nobody;
  const RunnerOf runner_of = [&](const Decision& decision) {
    return local_runner(decision.machines.front(), 1, nobody);
  };
  const Site site = decide_site(request, runner_of, lost);
  REQUIRE(site.parts.size() == 1);
  CHECK(site.parts.front().decision.ranks == std::vector<std::uint32_t>{4});
  CHECK(site.without_room.at(1) == std::set<std::uint32_t>{64});
  request.decisions.front().problems.ranks = {64};
  CHECK_THROWS_WITH(decide_site(request, runner_of, lost),
                    Contains("with 1 per host, the platform has room for at most 4"));
}

}  // namespace tutti::test_decision_request
