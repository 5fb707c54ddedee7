// Finds rules that choose an algorithm for numbers of ranks that the algorithm does not support.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// Warns of every rule whose algorithm supports only 2 ranks, if the rule also holds for other
// numbers of ranks, on which the call fails. There is no warning if the library runs another
// algorithm instead.
void find_unserved(const std::vector<Rule>& rules, RuleFile& file);

// Returns the reason why the library does not run the chosen algorithm on this number of ranks;
// nothing if it runs the algorithm. An algorithm for 2 ranks fails on other numbers. An algorithm
// for powers of two is replaced by another one.
[[nodiscard]] std::optional<std::string> why_unserved(const Choice& choice, std::uint32_t ranks);

}  // namespace tutti::inline rule_files
