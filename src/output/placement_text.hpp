// Reports how a decision depends on the placement of ranks, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// Prints how much time each choice loses in individual placements. Prints nothing if there is only
// one placement. `all`: prints every cell, not only those in which the choice loses most.
void print_placements(const Decision& decision, bool all, std::ostream& out);
// The decision must have several placements.
[[nodiscard]] nlohmann::ordered_json placements_json(const Decision& decision);

}  // namespace tutti::inline output
