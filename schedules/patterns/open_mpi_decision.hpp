// What Open MPI 4.1 decides by itself where one of its algorithms calls another collective.
#pragma once

#include <array>

#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// The two collectives' algorithms, as --parts has them. What they are on the library's own decision
// for these ranks and bytes, operators that commute, no rules loaded.
[[nodiscard]] std::array<OnePart, 2> open_mpi_parts(const Problem& problem,
                                                    const std::array<Collective, 2>& collectives);

}  // namespace tutti::inline schedules
