// Prints the results of many runs side by side.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "src/experiments/cell_winners.hpp"

namespace tutti::inline output {

enum class Details : std::uint8_t { few, all };

// Prints the best algorithm of each cell (a number of ranks and a size), by how much it leads, and
// why. With all details, or with a single cell, also prints the time of every algorithm. With a
// single algorithm, prints its times by size.
void print_comparison(const Comparison& comparison, const WinnerMap& winners, Details details,
                      std::ostream& out);

}  // namespace tutti::inline output
