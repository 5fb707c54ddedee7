// The name of a run: its algorithm and options, as on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

// The algorithm's options and their values, as on the command line: "--skips halving". An option at
// its default is included only if OptionType::shown_by_default is set. "" if no option is included.
[[nodiscard]] std::string options_text(const Algorithm& algorithm, const Problem& problem);
// Describes the size of a vector by its blocks: "1 MiB in blocks of 8 bytes to 64 KiB".
[[nodiscard]] std::string size_in_blocks(std::uint64_t bytes,
                                         const std::vector<std::uint64_t>& block_bytes);
// Describes a run for headings: "bcast/pipeline --tree binary on 16 ranks, 1 MiB". `what` is the
// name of the algorithm or of the file. Options at their default are left out.
[[nodiscard]] std::string run_in_words(const std::string& what, const Algorithm& algorithm,
                                       const Problem& problem);

}}  // namespace tutti::schedules
