// Describes algorithms, and the libraries' names for them, as text and as JSON, for tutti list.
#pragma once

#include <ostream>
#include <span>

#include "schedules/algorithm.hpp"
#include "src/formats/document.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/simulation/formula_fit.hpp"

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

// The algorithms of a library.
struct LibraryAnswer {
  const LibraryVersion& version;
  std::span<const CatalogueRow> rows;
};
// Returns the formula's deviation from the longest path of the schedule as text, such as "equal" or
// "+13.6 % at p = 6".
[[nodiscard]] std::string deviation_in_words(const FormulaFit& fit);

extern const DocumentOf<std::span<const Algorithm* const>> kListDocument;
extern const DocumentOf<LibraryAnswer> kLibraryDocument;
extern const DocumentOf<std::vector<FormulaFit>> kFormulasDocument;

}}  // namespace tutti::output
