#include "src/rule_files/write_rules.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::inline rule_files {

void write_rules(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out) {
  const bool told_apart = rule_form(format).algorithms == mpich_algorithms;
  for (const RulesToWrite& each : rules) {
    const auto same = std::count_if(rules.begin(), rules.end(), [&](const RulesToWrite& other) {
      return other.collective == each.collective;
    });
    TUTTI_INVARIANT(told_apart || (same == 1 && !each.ranks_per_node));
  }
  rule_form(format).write(rules, out);
}

void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  write_rules({&rules, 1}, format, out);
}

}  // namespace tutti::inline rule_files
