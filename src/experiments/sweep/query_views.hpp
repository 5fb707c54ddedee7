// Views of a results database: tables whose rows are JSON objects.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "src/experiments/sweep/result_store.hpp"

namespace tutti { inline namespace experiments {

struct QueryTable {
  std::string view;  // "cells", "best", "times" or "losses"
  // Each row begins with the columns of its setting (collective, platform, engine, ...).
  std::vector<nlohmann::ordered_json> rows;
  // Text for people, in one or more lines; may be empty.
  std::string summary;
};

// Sorts rows so that those that belong together, or are compared with each other, are adjacent.
void sort_for_reading(std::vector<CellRow>& rows);

[[nodiscard]] QueryTable cells_view(const std::vector<CellRow>& rows);
// Returns one row for each setting, number of ranks and size: the fastest algorithm, the second
// fastest, and the margin between them.
[[nodiscard]] QueryTable best_view(const std::vector<CellRow>& rows);
// Returns one row for each setting, number of ranks and size, with a time for each algorithm with
// its options.
[[nodiscard]] QueryTable times_view(const std::vector<CellRow>& rows);
// Returns the losses of the algorithm `against`, compared with the fastest algorithm for each
// setting, number of ranks and size. `against` is a name, or a name and options. If `more_than` is
// given, returns only losses above it. Throws UserError if no row has this algorithm, or if the
// algorithm was run with several sets of options.
[[nodiscard]] QueryTable losses_view(const std::vector<CellRow>& rows, const std::string& against,
                                     std::optional<double> more_than);

// As losses_view(), but for the choices in `file`: a decision table, or rules of an MPI library.
// The summary has the number of cells whose choice is not among the rows. Throws UserError for an
// invalid file, and if no row has a collective for which the file has a table.
[[nodiscard]] QueryTable table_losses_view(const std::vector<CellRow>& rows,
                                           const std::string& file,
                                           std::optional<double> more_than);
// True if any row has this algorithm. `algorithm` is a name, or a name and options, as in
// losses_view().
[[nodiscard]] bool is_of(const std::vector<CellRow>& rows, const std::string& algorithm);

}}  // namespace tutti::experiments
