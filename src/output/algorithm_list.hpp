// Describes algorithms as text and as JSON, for tutti list.
#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <span>

#include "schedules/algorithm.hpp"

namespace tutti::inline cost_models {
struct PublishedFormula;
}  // namespace tutti::inline cost_models

namespace tutti::inline output {

// Prints a heading, and a line for each known property of the algorithm.
void print_algorithm(std::ostream& out, const Algorithm& algorithm);
// Prints the name and the idea of each algorithm, grouped by collective.
void print_overview(std::ostream& out, std::span<const Algorithm* const> algorithms);
// Prints the meaning of p, n, alpha, ... in costs and formulas.
void print_legend(std::ostream& out);

// Return JSON whose schema is src/formats/schemas/tutti-list-1.schema.json.
[[nodiscard]] nlohmann::ordered_json algorithm_json(const Algorithm& algorithm);
[[nodiscard]] nlohmann::ordered_json formula_json(const PublishedFormula& formula);

}  // namespace tutti::inline output
