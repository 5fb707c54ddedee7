// Describes algorithms, and the libraries' names for them, as text and as JSON, for tutti list.
#pragma once

#include <nlohmann/json.hpp>

#include <ostream>
#include <span>

#include "schedules/algorithm.hpp"
#include "src/rule_files/library_catalogue.hpp"

namespace tutti { inline namespace cost_models {
struct PublishedFormula;
}}  // namespace tutti::cost_models

namespace tutti { inline namespace output {

// Prints a heading, and a line for each known property of the algorithm.
void print_algorithm(std::ostream& out, const Algorithm& algorithm);
// Prints the name and the idea of each algorithm, grouped by collective.
void print_overview(std::ostream& out, std::span<const Algorithm* const> algorithms);
// Prints the meaning of p, n, alpha, ... in costs and formulas.
void print_legend(std::ostream& out);

// Prints the algorithms of a library, and their equivalents in tutti.
void print_library(const LibraryVersion& version, std::span<const CatalogueRow> rows,
                   std::ostream& out);
// Returns JSON whose schema is src/formats/schemas/tutti-library-1.schema.json.
[[nodiscard]] nlohmann::ordered_json library_json(const LibraryVersion& version,
                                                  std::span<const CatalogueRow> rows);

// Return JSON whose schema is src/formats/schemas/tutti-list-1.schema.json.
[[nodiscard]] nlohmann::ordered_json algorithm_json(const Algorithm& algorithm);
[[nodiscard]] nlohmann::ordered_json formula_json(const PublishedFormula& formula);

}}  // namespace tutti::output
