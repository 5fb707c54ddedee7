// Rules that are never taken, because one before them holds whenever they do; and places where none
// holds.
#pragma once

#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// `outer` holds wherever `inner` does. Not all such pairs are found, but none that is not one.
[[nodiscard]] bool covers(const Rule& outer, const Rule& inner);

// Warns of both, in each list of rules on its own.
void find_unreachable(const std::vector<Rule>& rules, RuleFile& file);

}  // namespace tutti::inline rule_files
