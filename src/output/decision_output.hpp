// Functions for those parts of a decision's output that several reports contain.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// Prints what the times are based on: the platform, its prices and hosts, what-if changes, and the
// source of the times.
void print_grounds_of_times(const Decision& decision, std::ostream& out);
// Describes the simulated machine; null if the times were measured.
[[nodiscard]] nlohmann::ordered_json decision_machine_json(const Decision& decision);

}  // namespace tutti::inline output
