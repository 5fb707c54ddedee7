// A schedule in numbers.
#pragma once

#include <nlohmann/json.hpp>

#include <iosfwd>

#include "schedules/algorithm.hpp"
#include "src/requests/machine_options.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline report {

// Throws UserError when the machine's platform is at fault.
void print_stats(const Schedule& schedule, const Algorithm& algorithm, const Machine& machine,
                 std::ostream& out);
// The same for programs: src/formats/schemas/tutti-stats-1.schema.json.
[[nodiscard]] nlohmann::ordered_json stats_json(const Schedule& schedule,
                                                const Algorithm& algorithm, const Machine& machine);

}  // namespace tutti::inline report
