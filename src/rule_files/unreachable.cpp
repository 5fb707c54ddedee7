#include "src/rule_files/unreachable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "src/rule_files/rule_form.hpp"

namespace tutti::inline rule_files {

bool covers(const Rule& outer, const Rule& inner) {
  const auto at_most = [](const auto& a, const auto& b) { return !a || (b && *a <= *b); };
  const auto at_least = [](const auto& a, const auto& b) { return !a || (b && *a >= *b); };
  return at_most(outer.ranks_from, inner.ranks_from) &&
         at_least(outer.ranks_below, inner.ranks_below) &&
         at_most(outer.bytes_from, inner.bytes_from) &&
         at_least(outer.bytes_below, inner.bytes_below) &&
         (!outer.ranks_power_of_two || inner.ranks_power_of_two) &&
         (outer.elements_below == ElementsBelow::any ||
          outer.elements_below == inner.elements_below);
}

namespace {

// True if the rule has no condition other than the limits `from` and `below`.
template <typename Number>
bool asks_for_nothing_else(const Rule& rule, std::optional<Number> Rule::*from,
                           std::optional<Number> Rule::*below) {
  Rule others;
  others.ranks_from = rule.ranks_from;
  others.ranks_below = rule.ranks_below;
  others.ranks_power_of_two = rule.ranks_power_of_two;
  others.bytes_from = rule.bytes_from;
  others.bytes_below = rule.bytes_below;
  others.elements_below = rule.elements_below;
  (others.*from).reset();
  (others.*below).reset();
  return !others.conditional();
}

// True if, for every number from `start` on, one of the rules holds. Ignores rules that have
// conditions other than the limits `from` and `below`.
template <typename Number>
bool reaches_all(const std::vector<Rule>& rules, std::optional<Number> Rule::*from,
                 std::optional<Number> Rule::*below, Number start) {
  constexpr Number kMost = std::numeric_limits<Number>::max();
  std::vector<std::pair<Number, Number>> ranges;
  for (const Rule& rule : rules) {
    if (asks_for_nothing_else(rule, from, below)) {
      ranges.emplace_back((rule.*from).value_or(0), (rule.*below).value_or(kMost));
    }
  }
  std::sort(ranges.begin(), ranges.end());
  Number covered = start;
  for (const auto& [first, end] : ranges) {
    if (first > covered) {
      return false;
    }
    covered = std::max(covered, end);
  }
  return covered == kMost;
}

bool complete(const std::vector<Rule>& rules) {
  return reaches_all<std::uint64_t>(rules, &Rule::bytes_from, &Rule::bytes_below, 0) ||
         reaches_all<std::uint32_t>(rules, &Rule::ranks_from, &Rule::ranks_below, 2);
}

}  // namespace

void find_unreachable(const std::vector<Rule>& rules, RuleFile& file) {
  for (auto rule = rules.begin(); rule != rules.end(); ++rule) {
    const auto before = std::find_if(rules.begin(), rule,
                                     [&](const Rule& earlier) { return covers(earlier, *rule); });
    // Skips rules with an empty range of sizes: OmpiJsonReader reports them itself.
    const bool never =
        rule->bytes_from && rule->bytes_below && *rule->bytes_from >= *rule->bytes_below;
    if (before != rule && !never) {
      file.error(rule->line,
                 fmt::format("never reached: the rule of line {} holds whenever this one does",
                             before->line));
    }
    find_unreachable(rule->then, file);
  }
  // Does not report gaps for libraries that decide themselves if no rule holds, such as NCCL: in
  // their files, gaps are intended.
  if (!rules.empty() && !complete(rules) && !rule_form(file.format).decides_the_rest) {
    file.warn(rules.back().line,
              "these rules are incomplete: there are calls for which none of them holds");
  }
}

}  // namespace tutti::inline rule_files
