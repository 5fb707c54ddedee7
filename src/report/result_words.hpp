// What is to be said of a result beside its figures: why predictions differ from it, and how far it
// can be relied on.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/run_result.hpp"

namespace tutti {

// How far the totals with starts moved are apart, over the run's own.
[[nodiscard]] double tie_spread(const RunResult& result);
// A spread beyond which the total says as much of ties as of the algorithm.
inline constexpr double kTiesMatter = 0.001;
// Says so where the total hangs on ties; `hint` ends the line.
void warn_of_ties(const RunResult& result, std::string_view hint, std::ostream& err);
// "with starts moved by parts in 1e-12, 8.7 ms to 9.4 ms (7.3 %) in 3 runs"
[[nodiscard]] std::string ties_in_words(const RunResult& result);
// "1 ms to 1.2 ms in 9 runs, of which this is the median, with seed 4"
[[nodiscard]] std::string repeats_in_words(const RunResult& result);
// Says of a run with both engines that do not agree which it is, by how much they differ, and
// where.
[[nodiscard]] std::string disagreement_in_words(const RunResult& result);
// Why a prediction may differ from the run, as far as is known: one reason each. `formula`: of a
// formula, and not of the longest path, which knows blocks, ports and copies. The sizes of uneven
// blocks are left out where the words shall fit several runs.
[[nodiscard]] std::vector<std::string> gap_reasons(const RunResult& result, bool formula,
                                                   bool with_sizes);

}  // namespace tutti
