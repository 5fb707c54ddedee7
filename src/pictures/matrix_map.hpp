// A map of cells, ranks upwards and sizes to the right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/pictures/picture.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti::inline pictures {

// The best algorithm of each cell, and by how much it is ahead of the next.
[[nodiscard]] Picture winners_map(const TimesTable& table, double width);

// Of a tutti-decide/2: the same of its grid; and, where it was held against a table of rules, what
// that loses.
[[nodiscard]] Picture decision_map(const nlohmann::json& decision, double width);
[[nodiscard]] Picture loss_map(const nlohmann::json& decision, double width);

}  // namespace tutti::inline pictures
