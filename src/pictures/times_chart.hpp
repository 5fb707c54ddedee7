// Time over size, both by logarithms: one curve for each algorithm.
#pragma once

#include "src/pictures/picture.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti::inline pictures {

// At one of the table's numbers of ranks. Simulated times are curves with dots; of one algorithm
// alone also the exact formula, the published one, and what was measured; measured times are
// squares everywhere. Curves that lie on each other are told apart by dashes and named in a line;
// where another one becomes the fastest, there is a mark. Of one size alone: bars.
[[nodiscard]] Picture times_chart(const TimesTable& table, std::size_t rank, double width);

}  // namespace tutti::inline pictures
