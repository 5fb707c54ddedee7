#include "src/formats/json_text.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::rule_forms {

namespace {

bool recognises(std::string_view text) {
  return look_of_text(text) == TextLook::json && text.find("\"tutti-decisions/") != text.npos;
}

void write(const RulesToWrite& rules, std::ostream& out) {
  DecisionTable table;
  table.collective = rules.collective;
  table.name = rules.made_by;
  table.source = "tutti decide";
  table.rules = rules_of(rules.steps);
  out << json_text(table_json(table), 2) << '\n';
}

}  // namespace

// schemas/tutti-decisions-1.schema.json
extern const RuleForm tutti{
    .name = "tutti",
    .description = "decision table of tutti",
    .recognises = recognises,
    .read = read_tutti_rules,
    .write = write,
};

}  // namespace tutti::rule_forms
