#include <fmt/format.h>

#include <vector>

#include "base/printable.hpp"
#include "src/commands/decide_request.hpp"
#include "src/experiments/nccl_answer.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::inline commands {

void write_export(const DecideOptions& options, std::span<const Decision* const> decisions,
                  const DecisionExport& how, std::ostream& out) {
  if (how.csv) {
    write_decision_csv(*decisions.front(), out);
    return;
  }
  std::vector<RulesToWrite> rules;
  rules.reserve(decisions.size());
  for (const Decision* const decision : decisions) {
    rules.push_back(rules_to_write(*decision));
    if (how.format == RuleFormat::nccl && !options.nccl.given().empty()) {
      rules.back().protocol = nccl_protocols(options.nccl_machine(), decision->collective);
    }
  }
  rules.front().made_by = made_by(decisions);
  write_rules(rules, how.format, out);
}

void print_loading(RuleFormat format, const std::string& path,
                   std::span<const Collective> collectives, std::ostream& out) {
  const std::string line = load_line(format, path);
  if (!line.empty()) {
    // Prints `line` without wrapping it, so that users can copy it.
    out << "loaded with: " << printable(line) << '\n';
  }
  if (const std::string text = decided_before(format, 0, collectives); !text.empty()) {
    print_field(out, 0, 0, "", text);
  }
}

}  // namespace tutti::inline commands
