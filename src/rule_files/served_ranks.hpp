// Rules that a library takes for numbers of ranks that its algorithm does not serve.
#pragma once

#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti {

// Warns of each whose algorithm is for 2 ranks only, and that holds for others too: the call fails
// there. Where the library runs another algorithm instead, nothing is wrong.
void find_unserved(const std::vector<Rule>& rules, RuleFile& file);

}  // namespace tutti
