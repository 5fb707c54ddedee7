// Writes rules of several collectives to one file in each format and reads them back. Also tests
// rules that depend on the ranks per node, which only MPICH's formats support.
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_form.hpp"
#include "src/rule_files/rule_size.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::test_several_collectives { namespace {

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
        RuleFormat::mpich41, RuleFormat::mpich43, RuleFormat::mpich51, RuleFormat::nccl,
        RuleFormat::rccl, RuleFormat::ucc}) {
    INFO(name(format));
    std::vector<RulesToWrite> all;
    for (const Collective collective : kCollectives) {
      RulesToWrite rules = rules_for(format, collective);
      if (!rules.steps.empty()) {
        all.push_back(std::move(rules));
      }
    }
    const bool tuner = format == RuleFormat::nccl || format == RuleFormat::rccl;
    REQUIRE(all.size() >= (tuner ? 5 : format == RuleFormat::ucc ? 6 : 12));
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

// Returns all choices that rules in this format can make for the collective, on any number of
// ranks.
std::vector<Choice> choices_of(RuleFormat format, Collective collective) {
  std::vector<Choice> choices;
  for (const LibraryAlgorithm& each : library_algorithms(format)) {
    if (each.collective == collective && !each.ours.empty() && !each.powers_of_two_only &&
        each.exported && each.in_release(rule_form(format).first_release)) {
      const Choice choice = choice_of(format, each, 0, 2, 0, each.tells_tree ? "kary" : "");
      if (!choice.algorithm.empty() && find_for(format, collective, choice) == &each) {
        choices.push_back(choice);
      }
    }
  }
  return choices;
}

TEST_CASE("Rules that are read again make the choices that were written") {
  for (const RuleFormat format :
       {RuleFormat::mpich43, RuleFormat::mpich51, RuleFormat::rccl, RuleFormat::ucc}) {
    std::size_t compared = 0;
    for (const Collective collective : kCollectives) {
      const std::vector<Choice> choices = choices_of(format, collective);
      if (choices.size() < 2 || rule_size(format, collective) == RuleSize::none) {
        continue;
      }
      RulesToWrite rules;
      rules.collective = collective;
      rules.ranks = {4, 16};
      const auto of = [&](std::size_t i) { return choices[i % choices.size()]; };
      rules.steps = {{4, {{0, of(0)}, {4096, of(1)}, {std::uint64_t{1} << 20U, of(2)}}},
                     {16, {{0, of(1)}, {65536, of(0)}}}};
      std::ostringstream text;
      write_rules(rules, format, text);
      INFO(name(format) << " " << name(collective) << "\n" << text.str());
      const RuleFile file = read_rules(text.str(), format);
      CHECK(file.sound());
      const DecisionTable& table = table_of(file, "written", collective);
      for (const std::uint32_t ranks : rules.ranks) {
        const RankStep& step = rules.steps[ranks == 4 ? 0 : 1];
        for (std::size_t i = 0; i < step.sizes.size(); ++i) {
          for (const std::uint64_t more : {0U, 1U}) {
            // The first and the last size of the step, in whole blocks.
            const std::uint64_t bytes =
                more == 0                   ? std::max<std::uint64_t>(step.sizes[i].from_bytes, 64)
                : i + 1 < step.sizes.size() ? step.sizes[i + 1].from_bytes - ranks
                                            : std::uint64_t{1} << 30U;
            INFO(ranks << " ranks, " << bytes << " bytes");
            const auto chosen = look_up(table, ranks, bytes, 1);
            REQUIRE(chosen);
            CHECK(chosen->choice->algorithm == step.sizes[i].choice.algorithm);
            CHECK(chosen->choice->library_algorithm == step.sizes[i].choice.library_algorithm);
            ++compared;
          }
        }
      }
    }
    CHECK(compared >= 20);
  }
}

TEST_CASE("Rules end where the decision ends, if the format can express it") {
  for (const RuleFormat format :
       {RuleFormat::ompi4, RuleFormat::ompi5, RuleFormat::ompi6, RuleFormat::mpich,
        RuleFormat::mpich41, RuleFormat::mpich43, RuleFormat::mpich51, RuleFormat::ucc}) {
    for (const Collective collective : {Collective::bcast, Collective::allreduce}) {
      INFO(name(format) << " " << name(collective));
      const std::vector<Choice> choices = choices_of(format, collective);
      REQUIRE_FALSE(choices.empty());
      RulesToWrite rules;
      rules.collective = collective;
      rules.ranks = {4, 8, 16};
      rules.steps = {{4, {{0, choices.back()}}}};
      const auto name_for = [&](std::uint32_t ranks) -> std::string {
        std::ostringstream text;
        write_rules(rules, format, text);
        const RuleFile file = read_rules(text.str(), format);
        CHECK(file.sound());
        const auto chosen = look_up(table_of(file, "written", collective), ranks, 4096, 8);
        return !chosen || chosen->choice->left_to_library ? "" : chosen->choice->library_algorithm;
      };
      for (const std::uint32_t ranks : {4U, 5U, 8U, 15U, 16U}) {
        CHECK(name_for(ranks) == choices.back().library_algorithm);
      }
      if (!rule_form(format).leaves_calls) {
        CHECK(name_for(17) == choices.back().library_algorithm);
        continue;
      }
      for (const std::uint32_t ranks : {2U, 3U, 17U, 4096U}) {
        const std::string with_rules = name_for(ranks);
        std::string without;
        if (rule_form(format).family == "MPICH") {  // the file contains MPICH's own tree
          const std::vector<RankStep> steps = std::exchange(rules.steps, {});
          without = name_for(ranks);
          rules.steps = steps;
        }
        CHECK(with_rules == without);
      }
    }
  }
}

TEST_CASE("MPICH's rules may depend on ranks per node") {
  for (const RuleFormat format : {RuleFormat::mpich, RuleFormat::mpich41, RuleFormat::mpich43}) {
    std::vector<RulesToWrite> all(2, rules_for(format, Collective::bcast));
    all.front().ranks_per_node = 1;
    all.back().ranks_per_node = 4;
    std::ostringstream text;
    write_rules(all, format, text);
    // The built-in rules for the calls that a composition makes on a node and between nodes come
    // first.
    CHECK(text.str().find("\"comm_hierarchy=node\"") < text.str().find("\"comm_avg_ppn<=1\""));
    CHECK(text.str().find("\"comm_hierarchy=node_roots\"") <
          text.str().find("\"comm_avg_ppn<=1\""));
    const RuleFile file = read_rules(text.str(), format);
    CHECK(file.findings.empty());
    CHECK(file.notes.size() == all.size());  // one for each condition on ranks per node
    std::swap(all.front(), all.back());
    std::ostringstream nowhere;
    CHECK_THROWS_AS(write_rules(all, format, nowhere), InvariantError);
  }
  std::vector<RulesToWrite> one{rules_for(RuleFormat::ompi4, Collective::bcast)};
  one.front().ranks_per_node = 8;
  std::ostringstream nowhere;
  CHECK_THROWS_AS(write_rules(one, RuleFormat::ompi4, nowhere), InvariantError);
}

}}  // namespace tutti::test_several_collectives
