// How a decision depends on where ranks are: in words and in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>

#include "src/experiments/decisions/decision.hpp"

namespace tutti::inline output {

// Nothing where there is one placement. `all`: every cell; else those that lose most.
void print_placements(const Decision& decision, bool all, std::ostream& out);
// Of several placements.
[[nodiscard]] nlohmann::ordered_json placements_json(const Decision& decision);

}  // namespace tutti::inline output
