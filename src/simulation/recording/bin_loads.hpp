// What was on each link when.
#pragma once

#include "src/simulation/recording/drawn_network.hpp"

namespace tutti::inline simulation {

// Fills DrawnLink::load_percent. A message counts with its mean rate over each of the times in
// which one and the same link held it back, where all operations were watched; over its whole way
// otherwise. The network must have its routes.
void fill_loads(DrawnNetwork& network, const Explanation& explanation);

}  // namespace tutti::inline simulation
