// The choices whose losses the view 'losses' shows: one for each question in the table `runs` of
// query_runs(). They are put into the table `choices`, with the columns
//   question        number of the question
//   chosen          name of the chosen algorithm
//   chosen_options  its options, in the first of the two forms that a cell may have
//   other_options   its options in the second form
//   why_not         why the choice does not run; '' if it does
#pragma once

#include <string>

#include "src/experiments/sweep/database.hpp"

namespace tutti { inline namespace experiments {

// Returns an SQL condition on a row of `runs`: it has this algorithm. `parameter` stands for the
// algorithm, which is a name, or a name and options: "?1".
[[nodiscard]] std::string is_algorithm(const std::string& parameter);
// True if any row has this algorithm.
[[nodiscard]] bool has_algorithm(Database& runs, const std::string& algorithm);

// Chooses the algorithm `against` for each question for which it was run. Returns its label. Throws
// UserError if there is none, or if the algorithm was run with several sets of options.
std::string choose_algorithm(Database& runs, const std::string& against);
// Makes the choices in `file`, a decision table or rules of an MPI library. Throws UserError for an
// invalid file, and if no row has a collective for which the file has a table.
void choose_by_file(Database& runs, const std::string& file);

}}  // namespace tutti::experiments
