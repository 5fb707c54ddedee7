#include "src/rule_files/unreachable.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti {

namespace {

// `outer` holds wherever `inner` does. Not all such pairs are found, but none that is not one.
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

// The rules hold for every size, or for every number of ranks from 2 on, as far as that is all they
// ask for.
template <typename Number>
bool reaches_all(const std::vector<Rule>& rules, std::optional<Number> Rule::*from,
                 std::optional<Number> Rule::*below, Number start) {
  Number covered = start;
  for (bool more = true; more;) {
    more = false;
    for (const Rule& rule : rules) {
      Rule others = rule;
      (others.*from).reset();
      (others.*below).reset();
      if (others.conditional() || (rule.*from).value_or(0) > covered) {
        continue;
      }
      if (!(rule.*below)) {
        return true;
      }
      if (*(rule.*below) > covered) {
        covered = *(rule.*below);
        more = true;
      }
    }
  }
  return false;
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
    const bool never = rule->bytes_from && rule->bytes_below &&
                       *rule->bytes_from >= *rule->bytes_below;  // said already
    if (before != rule && !never) {
      file.error(rule->line,
                 fmt::format("never reached: the rule of line {} holds whenever this one does",
                             before->line));
    }
    find_unreachable(rule->then, file);
  }
  // NCCL decides itself where no line matches: that is what its file is for.
  if (!rules.empty() && !complete(rules) && file.format != RuleFormat::nccl) {
    file.warn(rules.back().line,
              "these rules leave something out: where none of them holds, none is taken");
  }
}

}  // namespace tutti
