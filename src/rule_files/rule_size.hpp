// The size that a library compares with the sizes in its rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::inline rule_files {

enum class RuleSize : std::uint8_t {
  vector,  // n
  block,   // n / p
  none,    // no size that grows with n, so rules by size make no sense
};
[[nodiscard]] RuleSize rule_size(RuleFormat format, Collective collective);
// Reason, for users, why there is no size; empty if there is one.
[[nodiscard]] std::string_view why_no_size(RuleFormat format, Collective collective);

// Steps of the rules, with sizes in the measure of the format. If the format measures blocks, each
// number of ranks in `rules.ranks` gets its own step unless its sizes equal those of the step
// before.
[[nodiscard]] std::vector<RankStep> steps_in_form(const RulesToWrite& rules, RuleFormat format);

// Sets the table's measure. Adds an error to the file if the table has rules by size for a
// collective that has no size.
void check_sizes(DecisionTable& table, RuleFile& file);

}  // namespace tutti::inline rule_files
