// Removes what launchers, terminals and log collectors write before each line of a benchmark's
// output: "[1,0]<stdout>:" (mpirun --tag-output), "Thu Nov 26 10:11:12 2026[1,0]<stdout>:"
// (--timestamp-output), "0: " (srun -l), "[0] " (mpiexec -prepend-rank), "node-1: " (pdsh),
// "2026-11-26T10:11:12.345678Z " (kubectl logs --timestamps), "> " (a quotation in a mail).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tutti { inline namespace experiments {

// Returns the position in `line` at which a heading of a benchmark begins; empty if the line has
// none.
using HeadingPosition = std::function<std::optional<std::size_t>(std::string_view line)>;

// Returns `text` without the prefixes of its lines; empty if its headings have no prefix. The line
// numbers remain the same. The text before the first heading is the prefix; a time in it may differ
// from line to line. Lines without the prefix remain as they are. Lines of other ranks, whose
// prefix differs only in numbers, become empty. Throws UserError, which names `path`, if tables of
// several ranks are mixed.
[[nodiscard]] std::optional<std::string> without_prefixes(std::string_view text,
                                                          const std::string& path,
                                                          const HeadingPosition& heading);

}}  // namespace tutti::experiments
