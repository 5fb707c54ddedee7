#include "src/steps/algorithm_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace steps {

namespace {

std::uint32_t group_with_name(std::string_view from, std::string_view name,
                              const StepDescription& step) {
  const auto found = std::ranges::find(step.groups, name, &StepGroup::name);
  if (found == step.groups.end()) {
    std::vector<std::string> names;
    for (const StepGroup& group : step.groups) {
      names.push_back(group.name);
    }
    throw UserError(fmt::format("{}: unknown group '{}'; {}", from, printable(name),
                                accepted_words(name, names)));
  }
  return static_cast<std::uint32_t>(found - step.groups.begin());
}

AlgorithmRule rule_of(std::string_view from, std::string_view text, const StepDescription& step) {
  const std::vector<std::string_view> words = words_in(text);
  AlgorithmRule made;
  if (words[0] != "all") {
    made.collective = collective_meant(words[0]);
    if (!made.collective) {
      throw UserError(fmt::format("{} '{}': expected a collective, such as allgather, or all", from,
                                  printable(words[0])));
    }
  }
  std::size_t next = 1;
  if (words.size() > 2 && words[1] == "on") {
    made.group = group_with_name(from, words[2], step);
    next = 3;
  }
  if (const std::string wrong = take_choice(std::span(words).subspan(next), made); !wrong.empty()) {
    throw UserError(fmt::format("{} '{}': {}", from, printable(text), wrong));
  }
  return made;
}

}  // namespace

std::string take_choice(std::span<const std::string_view> words, AlgorithmRule& rule) {
  if (!words.empty() && words[0] == "by") {
    const std::string_view which = words.size() > 1 ? words[1] : "";
    const bool nccl = which == "nccl";
    if ((!nccl && which != "best") || words.size() > (nccl ? 3U : 2U)) {
      return "expected 'by nccl', 'by nccl' and a release, or 'by best'";
    }
    rule.by = nccl ? AlgorithmRule::By::nccl : AlgorithmRule::By::best;
    words = words.subspan(2);
  } else if (!rule.collective) {
    return "all collectives can only have 'by nccl' or 'by best'";
  } else if (words.empty()) {
    return "expected 'by nccl', 'by best', or an algorithm, such as ring";
  } else {
    rule.by = AlgorithmRule::By::name;
  }
  rule.words.assign(words.begin(), words.end());
  return "";
}

void add_algorithm_rules(std::string_view from, std::string_view text, StepDescription& step) {
  std::vector<AlgorithmRule> rules;
  for (const std::string_view each : words_in(text, ";")) {
    if (!words_in(each).empty()) {
      rules.push_back(rule_of(from, trimmed(each), step));
    }
  }
  step.rules.insert(step.rules.begin(), rules.begin(), rules.end());
}

}}  // namespace tutti::steps
