#include "src/rule_files/write_rules.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

void write_rules(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out) {
  const RuleForm& form = rule_form(format);
  TUTTI_INVARIANT(form.write != nullptr);
  for (const RulesToWrite& each : rules) {
    const auto same = std::count_if(rules.begin(), rules.end(), [&](const RulesToWrite& other) {
      return other.collective == each.collective;
    });
    TUTTI_INVARIANT(form.counts_ranks_per_node || (same == 1 && !each.ranks_per_node));
  }
  form.write(rules, format, out);
}

void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  write_rules({&rules, 1}, format, out);
}

}}  // namespace tutti::rule_files
