// Prints the results of many runs side by side.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "src/experiments/cell_winners.hpp"

namespace tutti::inline output {

enum class Details : std::uint8_t { few, all };

// Prints the best algorithm of each cell (a number of ranks and a size), by how much it leads, and
// why. With Details::all, or if there is only one cell, also prints the time of every algorithm. If
// there is only one algorithm, prints its time for each size instead.
void print_comparison(const Comparison& comparison, const WinnerMap& winners, Details details,
                      std::ostream& out);

}  // namespace tutti::inline output
