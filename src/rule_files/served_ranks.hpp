// Finds rules that choose an algorithm for numbers of ranks that the algorithm does not support.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// Adds a warning for every rule that chooses an algorithm for 2 ranks only but also holds for other
// numbers of ranks, on which the call fails. Does not warn of algorithms for powers of two, because
// on other numbers of ranks the library runs another algorithm instead.
void find_unserved(const std::vector<Rule>& rules, RuleFile& file);

// Returns the reason why the library does not run the chosen algorithm on this number of ranks;
// nothing if it runs the algorithm. If the algorithm is for 2 ranks only, the call fails; if it is
// for powers of two only, the library runs another algorithm.
[[nodiscard]] std::optional<std::string> why_unserved(const Choice& choice, std::uint32_t ranks);

}  // namespace tutti::inline rule_files
