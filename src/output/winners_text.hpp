// Who is best where, in a comparison: the answer.
#pragma once

#include <iosfwd>

#include "src/experiments/cell_winners.hpp"

namespace tutti::inline output {

// The best of each cell with its margin: sizes down, numbers of ranks across, or a line for each
// where cells are few; and why, in a clause for each that is best somewhere.
void print_winners(const Comparison& comparison, const WinnerMap& map, std::ostream& out);

// "+12 %"; "+12..40 %" over several cells; "level" where ties decide in all of them, and "" where
// there is no second in any.
[[nodiscard]] std::string margin_in_words(const std::vector<const CellWinners*>& cells);

// "p = 64, n = 1 KiB"
[[nodiscard]] std::string cell_in_words(const Comparison& comparison, std::size_t rank,
                                        std::size_t size);

}  // namespace tutti::inline output
