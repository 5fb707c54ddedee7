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
// Returns the reason, for users, if rule_size() is none; otherwise an empty text.
[[nodiscard]] std::string_view why_no_size(RuleFormat format, Collective collective);

// Returns the steps of the rules, with sizes converted to those that the format's library compares.
// If these are sizes of blocks, each number of ranks in `rules.ranks` gets its own step, unless the
// step before it has equal sizes.
[[nodiscard]] std::vector<RankStep> steps_in_form(const RulesToWrite& rules, RuleFormat format);

// Sets `table.measure`. Adds an error to the file if the table has rules by size for a collective
// whose rule_size() is none.
void check_sizes(DecisionTable& table, RuleFile& file);

}  // namespace tutti::inline rule_files
