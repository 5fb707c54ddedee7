// The main result of a comparison: the best algorithm of each cell.
#pragma once

#include <iosfwd>

#include "src/experiments/cell_winners.hpp"

namespace tutti::inline output {

// Prints the best algorithm of each cell with its margin: as a map with a row for each size and a
// column for each number of ranks (transposed if that map is too wide), or as a list if there are
// few cells. Also prints why each of these algorithms is best.
void print_winners(const Comparison& comparison, const WinnerMap& map, std::ostream& out);

// Formats the margin of the best algorithm: "+12 %", or "+12..40 %" over several cells. Returns
// "level" if ties decide in all cells, and "" if no cell has a second algorithm.
[[nodiscard]] std::string margin_in_words(const std::vector<const CellWinners*>& cells);

// Describes the cell with the indices `rank` and `size`: "p = 64, n = 1 KiB".
[[nodiscard]] std::string cell_in_words(const Comparison& comparison, std::size_t rank,
                                        std::size_t size);

}  // namespace tutti::inline output
