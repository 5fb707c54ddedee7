// Prints the results of many runs side by side.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "src/experiments/compare/cell_winners.hpp"
#include "src/experiments/compare/sure_cells.hpp"
#include "src/experiments/decisions/assumptions.hpp"
#include "src/output/prediction_notes.hpp"

namespace tutti { inline namespace output {

enum class Details : std::uint8_t { few, all };

// Prints the best algorithm of each cell (a number of ranks and a size), by how much it leads, and
// why. With Details::all, or if there is only one cell, also prints the time of every algorithm. If
// there is only one algorithm, prints its time for each size instead. `sure`: if set, also prints
// the cells in which the choice is not sure. `assumptions`: see assumptions_of().
void print_comparison(const Comparison& comparison, const WinnerMap& winners, Details details,
                      const std::optional<SureChoices>& sure, const Assumptions& assumptions,
                      std::ostream& out);

// The following functions print parts of the above.

// Prints the best algorithm of each cell with its margin: as a map with a row for each size and a
// column for each number of ranks (transposed if that map is too wide), or as a list if there are
// few cells. Also prints why each of these algorithms is best.
void print_winners(const Comparison& comparison, const WinnerMap& map, std::ostream& out);

// Describes the cell with the indices `rank` and `size`: "p = 64, n = 1 KiB".
[[nodiscard]] std::string cell_in_words(const Comparison& comparison, std::size_t rank,
                                        std::size_t size);

// Prints times, bus bandwidths and the results of formulas, then the formulas themselves. The
// comparison must have a single contender. The notes that the tables refer to are added to `notes`.
void print_one_algorithm(const Comparison& comparison, NumberedNotes& notes, std::ostream& out);

}}  // namespace tutti::output
