// Load of each link over time.
#pragma once

#include "src/simulation/recording/drawn_network.hpp"

namespace tutti::inline simulation {

// Fills DrawnLink::load_percent. If all operations were watched, a message counts with its mean
// rate over each FlowStretch. Otherwise, it counts with its mean rate over its whole duration.
// `network` must include the routes.
void fill_loads(DrawnNetwork& network, const Explanation& explanation);

}  // namespace tutti::inline simulation
