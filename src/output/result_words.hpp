// What is to be said of a result beside its figures: why predictions differ from it, and how far it
// can be relied on.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_column.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline output {

// How far the totals with starts moved are apart, over the run's own.
[[nodiscard]] double tie_spread(const RunResult& result);
// Says so where the total hangs on ties; `hint` ends the line.
void warn_of_ties(const RunResult& result, std::string_view hint, std::ostream& err);
// "with starts moved by parts in 1e-12, 8.7 ms to 9.4 ms (7.3 %) in 3 runs"
[[nodiscard]] std::string ties_in_words(const RunResult& result);
// "26.56..29.08 ms" where ties matter, "26.56 ms" elsewhere.
[[nodiscard]] std::string ranged_time_in_words(const RangedTime& time);
// The same in the unit of a column.
[[nodiscard]] std::string ranged_time_in(const TimeUnit& unit, const RangedTime& time);
// The definition of "level within ties", for readers of a table that says so.
inline constexpr const char* kLevelWithinTies =
    "which of them is faster depends on which of several messages that are ready at the same "
    "instant goes first";
// The definition of the times of such a table.
inline constexpr const char* kTimesWithTies =
    "times under other orders of messages that are ready at the same instant; the median decides";
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

}  // namespace tutti::inline output
