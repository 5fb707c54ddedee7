// Who is best where, in a comparison.
#pragma once

#include <cstddef>
#include <ostream>

#include "src/experiments/comparison.hpp"

namespace tutti {

// The shortest simulated time of a table; below 0 where nothing ran.
[[nodiscard]] double best_s(const Comparison& comparison, std::size_t rank, std::size_t size);

// For each number of ranks, from which size on which contender is best. One that ties stays best,
// and those that tie all along are named together. Nothing where there is but one.
void print_winners(const Comparison& comparison, std::ostream& out);

}  // namespace tutti
