#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "src/commands/decide_request.hpp"
#include "src/experiments/nccl_answer.hpp"
#include "src/formats/text_table.hpp"
#include "src/report/decision_rules.hpp"
#include "src/report/decision_text.hpp"
#include "src/rule_files/decides_before.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti {

namespace {

RulesToWrite rules_to_write(const DecideOptions& options, const Decision& decision,
                            RuleFormat format) {
  RulesToWrite rules;
  rules.collective = decision.collective;
  rules.steps = steps_of(decision.decisions, decision.candidates,
                         [&](const RankDecision& each, const Reign& reign) {
                           return lead_in_words(decision, each, reign);
                         });
  rules.ranks = decision.ranks;
  if (format == RuleFormat::nccl && !options.nccl.given().empty()) {
    rules.protocol = nccl_protocols(options.nccl_machine(), decision.collective);
  }
  return rules;
}

}  // namespace

void write_export(const DecideOptions& options, std::span<const Decision* const> decisions,
                  const DecisionExport& how, std::ostream& out) {
  if (how.csv) {
    write_decision_csv(*decisions.front(), out);
    return;
  }
  std::vector<RulesToWrite> rules;
  rules.reserve(decisions.size());
  for (const Decision* const decision : decisions) {
    rules.push_back(rules_to_write(options, *decision, how.format));
  }
  rules.front().made_by = made_by(decisions);
  write_rules(rules, how.format, out);
}

void print_loading(RuleFormat format, const std::string& path,
                   std::span<const Collective> collectives, std::ostream& out) {
  const std::string line = load_line(format, path);
  if (!line.empty()) {
    out << "loaded with: " << printable(line) << '\n';  // in one line, to be copied
  }
  for (const std::string& sentence : decided_before(format, 0, collectives)) {
    print_field(out, 0, 0, "", sentence);
  }
}

}  // namespace tutti
