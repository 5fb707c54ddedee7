// Places ranks on hosts drawn at random, as a scheduler gives a job whichever hosts are free.
#pragma once

#include <cstdint>
#include <vector>

#include "src/simulation/machine.hpp"

namespace tutti::inline simulation {

// Returns `count` different numbers below `of`, in ascending order. With a smaller count, the
// result is a subset of that with a larger count. The numbers are the same on every computer.
// `count` is at most `of`.
[[nodiscard]] std::vector<std::uint32_t> drawn_hosts(std::uint32_t count, std::uint32_t of,
                                                     std::uint32_t seed);

// Places the machine's ranks on hosts drawn from the platform, in the platform's order. Each host
// gets as many ranks as place_ranks() has set. Throws UserError if the platform has too few hosts,
// and for the built-in crossbar, whose hosts are all alike.
void use_random_hosts(Machine& machine, std::uint32_t seed);

}  // namespace tutti::inline simulation
