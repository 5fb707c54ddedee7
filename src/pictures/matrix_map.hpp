// Maps of cells (a number of ranks and a size), with ranks upwards and sizes to the right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/pictures/picture.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti::inline pictures {

// Draws the best algorithm of each cell, and its lead over the second best.
[[nodiscard]] Picture winners_map(const TimesTable& table, double width);

// Draw maps of a tutti-decide/2 document. decision_map() shows the best algorithm of each cell;
// loss_map() shows how much time the rule table, with which the decision was compared, loses in
// each cell.
[[nodiscard]] Picture decision_map(const nlohmann::json& decision, double width);
[[nodiscard]] Picture loss_map(const nlohmann::json& decision, double width);

}  // namespace tutti::inline pictures
