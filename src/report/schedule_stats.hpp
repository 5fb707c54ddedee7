// A schedule in numbers.
#pragma once

#include <iosfwd>

#include "schedules/algorithm.hpp"
#include "simulation/machine.hpp"
#include "src/requests/machine_options.hpp"

namespace tutti {

// Throws UserError when the machine's platform is at fault.
void print_stats(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                 std::ostream& out);

}  // namespace tutti
