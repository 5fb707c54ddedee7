// The table `runs`, which the views of a results database read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/experiments/sweep/database.hpp"
#include "src/experiments/sweep/result_store.hpp"

namespace tutti { inline namespace experiments {

// Returns a database in memory with the table `runs`, which has a row for each of `cells`. The rows
// have the columns of the cells, and these:
//   label           algorithm with its options: "circulant --skips sqrt"
//   time_s          the time by which rows are ranked; NULL if the cell has no time
//   below_s         lower end of the time's range
//   above_s         upper end of the time's range
//   question        number of the question that the row answers. Rows answer the same question if
//                   they differ only in their algorithms and options; they are compared with each
//                   other. The name of the platform's file is part of the question: rows of two
//                   files with equal contents do not compete. The order of the questions suits
//                   readers.
//   position        number of the row in the order for readers
//   slower          whether the row takes longer than the question's best by more than a rounding
//                   error
//   rank            1 for the best row of the question. Rows that are as fast as the best up to
//                   rounding are in the order of 'tutti list', with users' programs at the end.
//   contenders      number of rows of the question that have a time
//   in_between      whether a decision alone asked for the size of each of these rows
//   bound_s         lower limit of the time; of_limit: how many times as long the run takes
// The SQL function loss(time_s, below_s, above_s, best_s, best_below_s, best_above_s) returns how
// much longer a run takes than the best, as a share of the best time; 0 if the difference is a
// rounding error, or if ties may account for it.
[[nodiscard]] Database query_runs(const std::vector<CellRow>& cells);

// Returns the versions of the engines of which the table has several for the same platform, each
// with the number of its cells. The views do not compare their results with each other.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> several_versions(Database& runs);

}}  // namespace tutti::experiments
