// Parts of a decision that more than one report has.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// What times rest on: the platform, its prices and hosts, what if, where times come from.
void print_grounds_of_times(const Decision& decision, std::ostream& out);
// null where times are measured.
[[nodiscard]] nlohmann::ordered_json decision_machine_json(const Decision& decision);

}  // namespace tutti::inline output
