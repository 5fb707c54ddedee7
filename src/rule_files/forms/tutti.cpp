#include "base/error.hpp"
#include "src/formats/json_text.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/forms/rule_form.hpp"

namespace tutti::inline rule_files::rule_forms {

namespace {

bool recognises_tutti(std::string_view text) {
  return look_of_text(text) == TextLook::json && text.find("\"tutti-decisions/") != text.npos;
}

RuleFile read_tutti(std::string_view text, int /*release*/) { return read_tutti_rules(text); }

// Writes the table of a single collective. read_tutti() also accepts a list of tables.
void write_tutti(std::span<const RulesToWrite> all, std::ostream& out) {
  TUTTI_INVARIANT(all.size() == 1);
  const RulesToWrite& rules = all.front();
  DecisionTable table;
  table.collective = rules.collective;
  table.name = rules.made_by;
  table.source = "tutti decide";
  table.rules = rules_of(rules.steps);
  out << json_text(table_json(table), 2) << '\n';
}

}  // namespace

// tutti's own format. Its schema is src/formats/schemas/tutti-decisions-1.schema.json.
extern const RuleForm tutti{
    .name = "tutti",
    .description = "decision table of tutti",
    .recognises = recognises_tutti,
    .read = read_tutti,
    .write = write_tutti,
};

}  // namespace tutti::inline rule_files::rule_forms
