// The algorithm that Open MPI 4.1 selects when one of its algorithms calls another collective.
#pragma once

#include <array>

#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// Returns the algorithms of the two collectives in the form of --parts. Open MPI selects them for
// the ranks and bytes of `problem` if the operator commutes and no rules file is loaded.
[[nodiscard]] std::array<OnePart, 2> open_mpi_parts(const Problem& problem,
                                                    const std::array<Collective, 2>& collectives);

}}  // namespace tutti::schedules
