// What a run is called: its algorithm and options, in the words of the command line.
#pragma once

#include <string>

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules {

// The options that the algorithm takes, with their values, as the command line has them:
// "--skips halving". "" where it takes none.
[[nodiscard]] std::string options_text(const Algorithm& algorithm, const Problem& problem);
// What is run, for headings: "bcast/pipeline --tree binary on 16 ranks, 1 MiB", `what` being the
// algorithm's name, or the file's. Options that have their default are left out.
[[nodiscard]] std::string run_in_words(const std::string& what, const Algorithm& algorithm,
                                       const Problem& problem);

}  // namespace tutti::inline schedules
