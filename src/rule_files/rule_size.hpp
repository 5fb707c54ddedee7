// Determines which size of a call a library compares with the sizes in its rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

enum class RuleSize : std::uint8_t {
  vector,  // n, the size of the whole vector
  block,   // n / p, where p is the number of ranks
  none,    // neither of these sizes, so that rules by size make no sense
};
[[nodiscard]] RuleSize rule_size(RuleFormat format, Collective collective);
// If rule_size() is none, returns the reason, for users; otherwise an empty text.
[[nodiscard]] std::string_view why_no_size(RuleFormat format, Collective collective);

// Returns the steps of the rules, with sizes converted from n to the size that the library
// compares. Fewer and more ranks than RulesToWrite::ranks are left to the library's own choice, if
// the format can express this. If this is the size of a block, each number of ranks in
// `rules.ranks` gets its own step, unless the previous step contains the same sizes and choices.
[[nodiscard]] std::vector<RankStep> steps_in_form(const RulesToWrite& rules, RuleFormat format);

// Sets `table.measure`. Adds an error to the file if the table has rules by size although
// rule_size() is none for its collective.
void check_sizes(DecisionTable& table, RuleFile& file);

}}  // namespace tutti::rule_files
