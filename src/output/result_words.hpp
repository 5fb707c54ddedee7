// Remarks on the result of a run: why predictions differ from it, and how reliable it is.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/messages.hpp"
#include "base/time_column.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace output {

// Returns the difference between the largest and the smallest total time over different
// tie-breaking orders, as a share of the run's own time.
[[nodiscard]] double tie_spread(const RunResult& result);
// Warns if the total time depends on tie-breaking. `hint` is appended to the warning.
void warn_of_ties(const RunResult& result, std::string_view hint, Messages& messages);
// Describes the effect of ties: "8.7 ms to 9.4 ms, 7.3 % apart, median 9 ms, in 3 runs with tiny
// random delays".
[[nodiscard]] std::string ties_in_words(const RunResult& result);
// Formats a time: "26.56..29.08 ms" if ties matter, otherwise "26.56 ms".
[[nodiscard]] std::string ranged_time_in_words(const RangedTime& time);
// Like ranged_time_in_words(), but in the unit of a column.
[[nodiscard]] std::string ranged_time_in(const TimeUnit& unit, const RangedTime& time);
// Definition of "level within ties", printed below a table that uses the term.
inline constexpr const char* kLevelWithinTies =
    "which of them is faster depends on which of several simultaneous messages goes first";
// Explanation of time ranges, printed below a table that contains them.
inline constexpr const char* kTimesWithTies =
    "times under different orders of simultaneous messages; the median decides, and is meant by "
    "x limit";
// Heading of columns with of_limit_in_words(), and an explanation of it.
inline constexpr const char* kOfLimit = "x limit";
inline constexpr const char* kOfLimitMeans =
    "times as long as a limit for any schedule on this network ('tutti bound' may find a higher "
    "one)";
// Returns how many times as long as its limit the run takes, such as "1.08"; "-" if the limit is
// unknown.
[[nodiscard]] std::string of_limit_in_words(const RunResult& result);
[[nodiscard]] std::string of_limit_in_words(const std::optional<double>& of_limit);
// Describes repeated runs: "1 ms to 1.2 ms in 9 runs; this is the median, with seed 4".
[[nodiscard]] std::string repeats_in_words(const RunResult& result);
// Describes a run in which the two engines disagree: which run it is, by how much they differ, and
// at which operation.
[[nodiscard]] std::string disagreement_in_words(const RunResult& result);
// Describes the kinds of jobs in the file of --parameters to which this job belongs, with the
// values that they replace: "queue boost_qos_bprod (jobs of 65 to 256 nodes): latency_s 2.7 us".
[[nodiscard]] std::vector<std::string> job_kinds_in_words(const Machine& machine);
// Returns the known reasons why a prediction of `predicted_s` seconds may differ from the run, one
// text for each. Leaves out reasons that can only make a prediction too long if it is too short,
// and the reverse. `formula`: true if the prediction is a formula; false if it is the longest path,
// which already accounts for blocks, ports and copies. `with_sizes`: true if the texts may contain
// the sizes of uneven blocks; false if a text must apply to several runs.
[[nodiscard]] std::vector<std::string> gap_reasons(const RunResult& result, double predicted_s,
                                                   bool formula, bool with_sizes);

}}  // namespace tutti::output
