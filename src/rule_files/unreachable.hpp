// Finds rules that are never taken because an earlier rule holds whenever they do, and cases in
// which no rule holds.
#pragma once

#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// Returns true only if `outer` holds whenever `inner` does. It does not detect all such pairs, so
// it may return false for one.
[[nodiscard]] bool covers(const Rule& outer, const Rule& inner);

// Adds a finding for each rule that is never taken, and for each case in which no rule holds. Each
// list of rules is checked on its own.
void find_unreachable(const std::vector<Rule>& rules, RuleFile& file);

}  // namespace tutti::inline rule_files
