// Who is best where, in a comparison: the answer.
#pragma once

#include <iosfwd>

#include "src/report/cell_winners.hpp"

namespace tutti::inline report {

// The best of each cell with its margin: sizes down, numbers of ranks across, or a line for each
// where cells are few; and why, in a clause for each that is best somewhere.
void print_winners(const Comparison& comparison, const WinnerMap& map, std::ostream& out);

// "p = 64, n = 1 KiB"
[[nodiscard]] std::string cell_in_words(const Comparison& comparison, std::size_t rank,
                                        std::size_t size);

}  // namespace tutti::inline report
