// Explains in words why a run took as long as it did.
#pragma once

#include <iosfwd>
#include <string>

#include "src/simulation/explain/account_rows.hpp"
#include "src/simulation/explain/contrast.hpp"

namespace tutti { inline namespace output {

// Prints the whole explanation, but not the report of the run itself.
void print_explanation(const Explanation& explanation, std::ostream& out);
// Prints a comparison of two explained runs. `names`: the names of the two runs.
void print_contrast(const Contrast& contrast, const Explanation& first, const Explanation& second,
                    const Both<std::string>& names, std::ostream& out);

// Describes a wait: "waiting for the outgoing port of rank 3".
[[nodiscard]] std::string wait_in_words(const WaitRow& row, const Explanation& explanation);
// Describes what time was spent on: "slowed by sharing: up-link 3 of leaf switch 2 (hosts 16-23)".
// `link`: the number of the link or, for cores, of the host.
[[nodiscard]] std::string slowed_in_words(Spending on, std::uint32_t link, MessagePart part,
                                          const Explanation& explanation);

// Formats ascending numbers as ranges: "0-7, 12". Includes at most `most_runs` ranges, followed by
// how many numbers are left out.
[[nodiscard]] std::string runs_in_words(const std::vector<std::uint32_t>& numbers,
                                        std::size_t most_runs = 4);

}}  // namespace tutti::output
