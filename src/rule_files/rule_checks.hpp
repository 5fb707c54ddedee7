// Finds rules that are never used, because an earlier rule holds whenever they hold; lists of rules
// that are incomplete, because for some calls none of the rules holds; and rules that choose an
// algorithm for numbers of ranks that the algorithm does not support.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/library_algorithms.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// Returns true only if `outer` holds whenever `inner` holds. May also return false in such a case,
// because it compares each condition separately.
[[nodiscard]] bool covers(const RuleConditions& outer, const RuleConditions& inner);

// Adds a finding for each rule that is never used, and a finding if there are calls for which none
// of the rules holds. Does the same for the inner rules of each rule, separately.
void find_unreachable(const std::vector<Rule>& rules, RuleFile& file);

// Adds an error for every rule that chooses an algorithm for 2 ranks only but also holds for other
// numbers of ranks, on which the call fails. Does not report algorithms for powers of two, because
// on other numbers of ranks the library runs another algorithm instead.
void find_unserved(const std::vector<Rule>& rules, RuleFile& file);

// Adds a warning if the fan-out of a rule of Open MPI is too large to be one: it is then probably a
// segment size in the wrong place. `segment_place` says where the segment size belongs.
void check_fan_out(const LibraryAlgorithm& algorithm, std::int64_t fan,
                   std::string_view segment_place, std::size_t line, RuleFile& file);

// Returns the reason why the library does not run the chosen algorithm on this number of ranks;
// nothing if it runs the algorithm. If the algorithm is for 2 ranks only, the call fails; if it is
// for powers of two only, the library runs another algorithm.
[[nodiscard]] std::optional<std::string> why_unserved(const Choice& choice, std::uint32_t ranks);

}}  // namespace tutti::rule_files
