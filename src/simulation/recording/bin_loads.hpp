// Load of each link over time.
#pragma once

#include "src/simulation/recording/drawn_network.hpp"

namespace tutti::inline simulation {

// Fills DrawnLink::load_percent. If all operations were watched (Watch::everything), the load uses
// the mean rate of a message in each FlowStretch; otherwise, its mean rate over its whole duration.
// `network` must include the routes.
void fill_loads(DrawnNetwork& network, const Explanation& explanation);

}  // namespace tutti::inline simulation
