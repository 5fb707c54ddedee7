// What a database of results answers: tables, each row of which is a JSON object of plain values.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti::inline experiments {

struct QueryTable {
  std::string view;  // "cells", "best", "times", "losses"
  // Each has the columns of its setting (collective, platform, engine, ...) first.
  std::vector<nlohmann::ordered_json> rows;
  std::string summary;  // a line for people; may be empty
};

// Rows that belong together, and beside each other, stand in this order.
void sort_for_reading(std::vector<CellRow>& rows);

[[nodiscard]] QueryTable cells_view(const std::vector<CellRow>& rows);
// For each setting, p and n: the fastest, the next, and by how much.
[[nodiscard]] QueryTable best_view(const std::vector<CellRow>& rows);
// For each setting and p, a row for each n; a column for each algorithm with its options.
[[nodiscard]] QueryTable times_view(const std::vector<CellRow>& rows);
// What `against`, an algorithm's name, or that and its options, loses against the best of each
// setting, p and n; only where that is more than `more_than`, if given. Throws UserError where no
// row is of that algorithm, or where it was run in several ways.
[[nodiscard]] QueryTable losses_view(const std::vector<CellRow>& rows, const std::string& against,
                                     std::optional<double> more_than);

// Asks it of the choices of a file: a decision table, or rules of an MPI library. Cells whose
// choice the rows do not have are counted. Throws UserError for a file that is no good, and where
// no row is of a collective that it has a table for.
[[nodiscard]] QueryTable table_losses_view(const std::vector<CellRow>& rows,
                                           const std::string& file,
                                           std::optional<double> more_than);
// Whether any row is of that algorithm, as losses_view() is given it.
[[nodiscard]] bool is_of(const std::vector<CellRow>& rows, const std::string& algorithm);

}  // namespace tutti::inline experiments
