#include "src/rule_files/write_rules.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "src/formats/json_text.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/rule_form.hpp"

namespace tutti { inline namespace rule_files {

namespace {

// Writes the table of a single collective. read_tutti_rules() also accepts a list of tables.
void write_tutti_rules(std::span<const RulesToWrite> all, std::ostream& out) {
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

void write_rules(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out) {
  const bool told_apart =
      rule_form(format).family == "MPICH" && rule_form(format).first_release < kNamedTrees;
  for (const RulesToWrite& each : rules) {
    const auto same = std::count_if(rules.begin(), rules.end(), [&](const RulesToWrite& other) {
      return other.collective == each.collective;
    });
    TUTTI_INVARIANT(told_apart || (same == 1 && !each.ranks_per_node));
  }
  switch (format) {
    case RuleFormat::tutti:
      return write_tutti_rules(rules, out);
    case RuleFormat::ompi4:
    case RuleFormat::ompi5:
      return write_ompi_classic(rules, format, out);
    case RuleFormat::ompi6:
      return write_ompi_json(rules, out);
    case RuleFormat::mpich41:
    case RuleFormat::mpich43:
    case RuleFormat::mpich:
      return write_mpich_json(rules, format, out);
    case RuleFormat::mpich51:
      return write_mpich_named_trees(rules, out);
    case RuleFormat::ucc:
      return write_ucc_conf(rules, out);
    case RuleFormat::nccl:
    case RuleFormat::rccl:
      return write_nccl_csv(rules, format, out);
    case RuleFormat::han:
    case RuleFormat::mpich_ch4:
    case RuleFormat::mpich_posix:
      break;
  }
  TUTTI_INVARIANT(false);
}

void write_rules(const RulesToWrite& rules, RuleFormat format, std::ostream& out) {
  write_rules({&rules, 1}, format, out);
}

}}  // namespace tutti::rule_files
