// A schedule to look at: ranks across, rounds down.
#pragma once

#include <nlohmann/json.hpp>

#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Of a tutti-schedule/1, as wide and high as a slide: few ranks with each message as an arrow,
// labelled with its blocks; many ranks with a sentence and a small diagram per round. Rounds that
// look alike are folded where there are many, and what is not drawn is counted in words. Throws
// UserError for a schedule that is damaged.
[[nodiscard]] Picture round_diagram(const nlohmann::json& schedule);

}  // namespace tutti::inline pictures
