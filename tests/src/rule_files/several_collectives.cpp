// Writes rules of several collectives to one file in each format and reads them back. Also tests
// rules that depend on the ranks per node, which only MPICH's formats support.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::test_several_collectives {
namespace {

// Returns rules with the first algorithm of `collective` that `format` can express. If there is
// none, the rules have no steps.
RulesToWrite rules_for(RuleFormat format, Collective collective) {
  RulesToWrite rules;
  rules.collective = collective;
  rules.made_by = "a test";
  rules.ranks = {4};
  for (const LibraryAlgorithm& each : library_algorithms(format)) {
    if (each.collective != collective || each.ours.empty() || each.powers_of_two_only ||
        !each.exported || !each.in_release(rule_form(format).first_release) ||
        each.name == "two_proc") {
      continue;
    }
    const Choice choice = choice_of(format, each, 0, 2, 0, each.tells_tree ? "kary" : "");
    if (!choice.algorithm.empty() && find_for(format, collective, choice) != nullptr) {
      rules.steps = {{4, {{0, choice}}}};
      break;
    }
  }
  return rules;
}

TEST_CASE("One file has the rules of every collective, if its format supports several") {
  for (const RuleFormat format :
       {RuleFormat::ompi4, RuleFormat::ompi5, RuleFormat::ompi6, RuleFormat::mpich,
        RuleFormat::mpich41, RuleFormat::mpich43, RuleFormat::nccl}) {
    INFO(name(format));
    std::vector<RulesToWrite> all;
    for (const Collective collective : kCollectives) {
      RulesToWrite rules = rules_for(format, collective);
      if (!rules.steps.empty()) {
        all.push_back(std::move(rules));
      }
    }
    REQUIRE(all.size() >= (format == RuleFormat::nccl ? 5 : 12));
    std::ostringstream text;
    write_rules(all, format, text);
    const RuleFile file = read_rules(text.str(), format);
    for (const RuleFinding& finding : file.findings) {
      UNSCOPED_INFO(finding.line << ": " << finding.text);
    }
    CHECK(file.findings.empty());
    for (const RulesToWrite& rules : all) {
      INFO(name(rules.collective));
      const auto table = std::find_if(
          file.tables.begin(), file.tables.end(),
          [&](const DecisionTable& each) { return each.collective == rules.collective; });
      REQUIRE(table != file.tables.end());
      const auto chosen = look_up(*table, 4, 64, 1);
      REQUIRE(chosen.has_value());
      CHECK(chosen->choice->algorithm == rules.steps.front().sizes.front().choice.algorithm);
    }
    // Duplicate collectives are refused.
    all.push_back(all.front());
    std::ostringstream twice;
    CHECK_THROWS_AS(write_rules(all, format, twice), InvariantError);
  }
}

TEST_CASE("MPICH's rules may depend on ranks per node") {
  for (const RuleFormat format : {RuleFormat::mpich, RuleFormat::mpich41, RuleFormat::mpich43}) {
    std::vector<RulesToWrite> all(2, rules_for(format, Collective::bcast));
    all.front().ranks_per_node = 1;
    std::ostringstream text;
    write_rules(all, format, text);
    // The built-in rules for the calls that a composition makes on a node and between nodes come
    // first.
    CHECK(text.str().find("\"comm_hierarchy=node\"") < text.str().find("\"comm_avg_ppn<=1\""));
    CHECK(text.str().find("\"comm_hierarchy=node_roots\"") <
          text.str().find("\"comm_avg_ppn<=1\""));
    const RuleFile file = read_rules(text.str(), format);
    CHECK(file.findings.empty());
    CHECK(file.notes.size() == 1);
    std::swap(all.front(), all.back());
    std::ostringstream nowhere;
    CHECK_THROWS_AS(write_rules(all, format, nowhere), InvariantError);
  }
  std::vector<RulesToWrite> one{rules_for(RuleFormat::ompi4, Collective::bcast)};
  one.front().ranks_per_node = 8;
  std::ostringstream nowhere;
  CHECK_THROWS_AS(write_rules(one, RuleFormat::ompi4, nowhere), InvariantError);
}

}  // namespace
}  // namespace tutti::test_several_collectives
