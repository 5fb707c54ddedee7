// What a library looks up where its rules ask for a size.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::inline rule_files {

enum class RuleSize : std::uint8_t {
  vector,  // n
  block,   // n over p
  none,    // nothing that grows with n: a rule of sizes is none
};
[[nodiscard]] RuleSize rule_size(RuleFormat format, Collective collective);
// Why it is none, in words; "" where it is something.
[[nodiscard]] std::string_view why_no_size(RuleFormat format, Collective collective);

// The steps of rules, with sizes as the form has them. Where these are blocks, each number of ranks
// that was looked at is a step.
[[nodiscard]] std::vector<RankStep> steps_in_form(const RulesToWrite& rules, RuleFormat format);

// Says to the file where a table of it has rules of sizes that are none, and sets its measure.
void check_sizes(DecisionTable& table, RuleFile& file);

}  // namespace tutti::inline rule_files
