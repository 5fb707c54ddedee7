// Ranks on hosts that are drawn, as a scheduler gives a job whichever are free.
#pragma once

#include <cstdint>
#include <vector>

#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// `count` different numbers below `of`, rising. Those of a smaller count are among those of a
// larger one, and the same on every computer. `count` is at most `of`.
[[nodiscard]] std::vector<std::uint32_t> drawn_hosts(std::uint32_t count, std::uint32_t of,
                                                     std::uint32_t seed);

// Puts the machine's ranks, in blocks as place_ranks() was told, on hosts drawn from the platform's
// and taken in its order. Throws UserError for fewer hosts than it takes, and for a crossbar that
// is no file's, whose hosts are all alike.
void use_random_hosts(Machine& machine, std::uint32_t seed);

}  // namespace tutti::inline simulation
