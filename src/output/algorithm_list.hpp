// What an algorithm is, for people and as JSON: tutti list.
#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <span>

#include "schedules/algorithm.hpp"

namespace tutti::inline cost_models {
struct PublishedFormula;
}  // namespace tutti::inline cost_models

namespace tutti::inline output {

// All that is known of it, a heading and a field for each.
void print_algorithm(std::ostream& out, const Algorithm& algorithm);
// A name and an idea for each, by collective.
void print_overview(std::ostream& out, std::span<const Algorithm* const> algorithms);
// What p, n, alpha, ... in costs and formulas are.
void print_legend(std::ostream& out);

// As in src/formats/schemas/tutti-list-1.schema.json.
[[nodiscard]] nlohmann::ordered_json algorithm_json(const Algorithm& algorithm);
[[nodiscard]] nlohmann::ordered_json formula_json(const PublishedFormula& formula);

}  // namespace tutti::inline output
