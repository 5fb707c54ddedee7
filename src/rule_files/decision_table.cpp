#include "src/rule_files/decision_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/exact_bytes.hpp"
#include "base/human.hpp"
#include "base/text_words.hpp"

namespace tutti { inline namespace rule_files {

Choice choice_left_to_library() {
  Choice choice;
  choice.library_algorithm = "the built-in decision";
  choice.left_to_library = true;
  return choice;
}

namespace {

// A call, as the conditions of a table see it.
struct Call {
  Call(const DecisionTable& table, std::uint32_t its_ranks, std::uint64_t bytes,
       std::uint32_t element_bytes, std::optional<std::uint32_t> its_nodes)
      : ranks(its_ranks),
        measured(table.measure == SizeMeasure::block ? bytes / its_ranks : bytes),
        elements(bytes / element_bytes),
        nodes(its_nodes) {}

  std::uint32_t ranks;
  std::uint64_t measured;
  std::uint64_t elements;
  std::optional<std::uint32_t> nodes;
};

bool holds(const Rule& rule, const Call& call) {
  const auto [ranks, measured, elements, nodes] = call;
  if ((rule.nodes && (!nodes || *nodes != *rule.nodes)) ||
      (rule.ranks_from && ranks < *rule.ranks_from) ||
      (rule.ranks_below && ranks >= *rule.ranks_below) ||
      (rule.ranks_power_of_two && !std::has_single_bit(ranks)) ||
      (rule.bytes_from && measured < *rule.bytes_from) ||
      (rule.bytes_below && measured >= *rule.bytes_below)) {
    return false;
  }
  switch (rule.elements_below) {
    case ElementsBelow::any:
      return true;
    case ElementsBelow::ranks:
      return elements < ranks;
    case ElementsBelow::power_of_two:
      return elements < std::bit_floor(ranks);
  }
  return true;
}

}  // namespace

std::span<const OptionType* const> choice_options() {
  static const std::vector<const OptionType*> types = [] {
    std::vector<const OptionType*> found;
    for (const Option first : {Option::tree, Option::skips, Option::fold}) {
      found.push_back(&option_type(first));
    }
    for (const OptionType* type : option_types()) {
      const bool in_choice = type->option != Option::segment &&
                             type->option != Option::ranks_per_node && !type->changes_problem;
      if (in_choice && std::find(found.begin(), found.end(), type) == found.end()) {
        found.push_back(type);
      }
    }
    return found;
  }();
  return types;
}

std::string in_words(const Choice& choice) {
  std::string text = choice.algorithm.empty() ? choice.library_algorithm : choice.algorithm;
  const auto add = [&](const OptionType& type) {
    if (!choice.options.has(type.option)) {
      return;
    }
    // A value that is a number follows the name of its option ("radix 4"); a value that is a word
    // precedes the name ("chain tree").
    const bool number = std::holds_alternative<std::uint64_t>(type.value(choice.options.values()));
    const std::string value = choice.options.text(type.option);
    // If the value of --groups is a number of ranks, writes "groups of 8"; if the value is a list,
    // writes "groups LIST".
    text += type.option == Option::groups
                ? fmt::format(", groups {}{}", has_only_digits(value) ? "of " : "", value)
            : number ? fmt::format(", {} {}", type.spaced(), value)
                     : fmt::format(", {} {}", value, type.spaced());
  };
  // True for options that describe how vectors are split. These options follow the segment size.
  const auto after_segments = [](const OptionType& type) {
    return type.option == Option::parts || type.option == Option::cuts;
  };
  for (const OptionType* type : choice_options()) {
    if (!after_segments(*type)) {
      add(*type);
    }
  }
  if (choice.segment_bytes > 0) {
    text += fmt::format(", segments of {}", human_bytes(choice.segment_bytes));
  } else if (choice.default_segments) {
    text += ", default segments";
  }
  add(option_type(Option::parts));
  if (choice.options.values().cuts != Cuts::even) {
    add(option_type(Option::cuts));
  }
  return text;
}

std::string conditions_in_words(const RuleConditions& rule, SizeMeasure measure) {
  std::vector<std::string> parts;
  const char* size = measure == SizeMeasure::vector ? "size" : "block";
  if (rule.ranks_from) {
    parts.push_back(fmt::format("ranks from {}", *rule.ranks_from));
  }
  if (rule.ranks_below) {
    parts.push_back(fmt::format("ranks below {}", *rule.ranks_below));
  }
  if (rule.ranks_power_of_two) {
    parts.emplace_back("ranks a power of two");
  }
  if (rule.nodes) {
    parts.push_back(fmt::format("on {}", counted(*rule.nodes, "node")));
  }
  if (rule.bytes_from) {
    parts.push_back(fmt::format("{} from {}", size, exact_bytes(*rule.bytes_from)));
  }
  if (rule.bytes_below) {
    parts.push_back(fmt::format("{} below {}", size, exact_bytes(*rule.bytes_below)));
  }
  if (rule.elements_below == ElementsBelow::ranks) {
    parts.emplace_back("fewer elements than ranks");
  } else if (rule.elements_below == ElementsBelow::power_of_two) {
    parts.emplace_back("fewer elements than the largest power of two up to the number of ranks");
  }
  return parts.empty() ? "always" : fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::uint32_t> nodes_that_decide(const DecisionTable& table, std::uint32_t ranks,
                                             std::uint64_t bytes, std::uint32_t element_bytes) {
  std::vector<std::uint32_t> found;
  const auto look = [&](const auto& self, const std::vector<Rule>& rules) -> void {
    for (const Rule& rule : rules) {
      if (!holds(rule, {table, ranks, bytes, element_bytes, rule.nodes})) {
        continue;
      }
      if (!rule.nodes) {
        self(self, rule.then);
        return;  // this rule holds on any number of nodes that no rule before it names
      }
      if (*rule.nodes <= ranks) {
        found.push_back(*rule.nodes);
      }
    }
  };
  look(look, table.rules);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<const Rule*> rules_that_hold(const DecisionTable& table, std::uint32_t ranks,
                                         std::uint64_t bytes, std::uint32_t element_bytes,
                                         std::optional<std::uint32_t> nodes) {
  const Call call(table, ranks, bytes, element_bytes, nodes);
  std::vector<const Rule*> found;
  for (const Rule& rule : table.rules) {
    if (holds(rule, call)) {
      found.push_back(&rule);
    }
  }
  return found;
}

std::optional<TableChoice> look_up(const DecisionTable& table, std::uint32_t ranks,
                                   std::uint64_t bytes, std::uint32_t element_bytes,
                                   std::optional<std::uint32_t> nodes) {
  const Call call(table, ranks, bytes, element_bytes, nodes);
  TableChoice found;
  const std::vector<Rule>* rules = &table.rules;
  while (true) {
    const auto rule = std::find_if(rules->begin(), rules->end(),
                                   [&](const Rule& each) { return holds(each, call); });
    if (rule == rules->end()) {
      return std::nullopt;
    }
    found.path.push_back(&*rule);
    if (const std::optional<Choice>& choice = rule->choice) {
      found.choice = &*choice;
      return found;
    }
    rules = &rule->then;
  }
}

std::vector<Rule> rules_of(const std::vector<RankStep>& steps) {
  std::vector<Rule> rules;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Rule outer;
    if (i + 1 < steps.size()) {
      outer.ranks_below = steps[i + 1].from_ranks;
    }
    const std::vector<SizeStep>& sizes = steps[i].sizes;
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      Rule inner;
      if (j + 1 < sizes.size()) {
        inner.bytes_below = sizes[j + 1].from_bytes;
      }
      inner.choice = sizes[j].choice;
      inner.why = sizes[j].why;
      outer.then.push_back(std::move(inner));
    }
    if (outer.then.size() == 1) {
      outer.choice = outer.then.front().choice;
      outer.why = outer.then.front().why;
      outer.then.clear();
    }
    rules.push_back(std::move(outer));
  }
  return rules;
}

}}  // namespace tutti::rule_files
