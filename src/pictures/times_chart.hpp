// Charts of time by size, both logarithmic, with a curve for each algorithm.
#pragma once

#include "src/pictures/picture.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti::inline pictures {

// Draws the times for the number of ranks at the index `rank` of TimesTable::ranks. Simulated times
// are curves with dots; measured times are squares. For a single algorithm, also draws the exact
// and the published formula; for several algorithms, draws the exact formulas from which simulated
// times differ by more than kOff. Dashes distinguish curves that lie on each other, and a text
// lists these curves. A mark shows where another algorithm becomes the fastest. For a single size,
// draws bars instead.
[[nodiscard]] Picture times_chart(const TimesTable& table, std::size_t rank, double width);

}  // namespace tutti::inline pictures
