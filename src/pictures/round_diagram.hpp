// A picture of a schedule, with ranks across and rounds down.
#pragma once

#include <nlohmann/json.hpp>

#include "src/pictures/picture.hpp"

namespace tutti::inline pictures {

// Draws a tutti-schedule/1 document in the size of a slide. With few ranks, each message is an
// arrow, labelled with its blocks. With many ranks, each round has a sentence and a small diagram.
// If there are many rounds, consecutive rounds with the same pattern are folded into one row, and a
// text counts the messages that are not drawn. Throws UserError if the schedule is damaged.
[[nodiscard]] Picture round_diagram(const nlohmann::json& schedule);

}  // namespace tutti::inline pictures
