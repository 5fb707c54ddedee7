#include "src/rule_files/write_rules.hpp"

#include "src/rule_files/forms/rule_form.hpp"

namespace tutti {

void write_rules(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out) {
  rule_form(format).write(rules, out);
}

void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  write_rules({&rules, 1}, format, out);
}

}  // namespace tutti
