#include "src/rule_files/write_rules.hpp"

#include "src/rule_files/forms/rule_form.hpp"

namespace tutti {

void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  rule_form(format).write(rules, out);
}

}  // namespace tutti
