// Rules that a library takes for numbers of ranks that its algorithm does not serve.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// Warns of each whose algorithm is for 2 ranks only, and that holds for others too: the call fails
// there. Where the library runs another algorithm instead, nothing is wrong.
void find_unserved(const std::vector<Rule>& rules, RuleFile& file);

// Why the library does not run its algorithm on so many ranks; nothing where it does. One for 2
// ranks fails on others; in place of one for powers of two it runs another.
[[nodiscard]] std::optional<std::string> why_unserved(const Choice& choice, std::uint32_t ranks);

}  // namespace tutti::inline rule_files
