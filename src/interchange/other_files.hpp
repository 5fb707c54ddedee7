// Recognises files that people give as a schedule, but that are something else: plans, sketches,
// traces and topologies of other tools, and results of tutti.
#pragma once

#include <string>
#include <string_view>

namespace tutti { inline namespace interchange {

// Returns what the file is and what to do with it, as the end of a sentence that begins with the
// file's name: "is an execution plan of MSCCL++ ...". Returns "" if the file is not recognised;
// it may then be in tutti's notation.
[[nodiscard]] std::string other_file_in_words(std::string_view text);

}}  // namespace tutti::interchange
