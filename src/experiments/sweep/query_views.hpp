// Views of results databases, selected in SQL from the table `runs` of query_runs().
#pragma once

#include <optional>
#include <string>

#include "src/experiments/sweep/database.hpp"

namespace tutti { inline namespace experiments {

struct QueryTable {
  std::string view;  // "cells", "best", "times" or "losses"
  // Each row begins with the columns of its setting (collective, platform, engine, ...).
  SqlRows rows;
  // One row with the totals of the view 'losses'. A cell here is a setting, number of ranks and
  // size. `cells` counts those with a choice and a time, `judged` those in which the choice ran,
  // `missing` those whose choice is not in the database; `lacking` is the first of these choices.
  // `in_between` counts the cells that are left out, because their sizes lie between those of a
  // grid.
  SqlRows totals;
};

// Returns the cells. The columns `figures` and `effort` are JSON objects.
[[nodiscard]] QueryTable cells_view(Database& runs);
// Returns one row for each setting, number of ranks and size: the fastest algorithm, the second
// fastest, and the margin between them. As in comparisons, the second is the fastest algorithm that
// takes longer than the best by more than a rounding error. The column `equal` is a JSON array.
[[nodiscard]] QueryTable best_view(Database& runs);
// Returns one row for each setting, number of ranks, size and algorithm with its options. If an
// algorithm was run with several segment sizes, as by 'tutti decide', these sizes share one name,
// and the row has the best time; the column `shared` is 1 in these rows.
[[nodiscard]] QueryTable times_view(Database& runs);
// Returns the losses of `against`, compared with the fastest algorithm for each setting, number of
// ranks and size. `against` is an algorithm or a file: see choose_algorithm() and choose_by_file()
// in src/experiments/sweep/query_choices.hpp. If `more_than` is given, returns only losses above
// it.
[[nodiscard]] QueryTable losses_view(Database& runs, const std::string& against,
                                     std::optional<double> more_than);

}}  // namespace tutti::experiments
