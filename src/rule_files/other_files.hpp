// Recognises files that users take for rule files: settings of MPI libraries whose rules tutti does
// not read, tuner files of cloud providers, platforms, benchmark outputs, and tutti's own files.
#pragma once

#include <string>
#include <string_view>

namespace tutti { inline namespace rule_files {

// Returns what the text is, if it is certainly no rule file that tutti reads, and what to do
// instead: "line 3 sets I_MPI_ADJUST_BCAST, a setting of Intel MPI; tutti reads only rules of ...".
// Returns "" for any other text. Ignores comments (# ...), which may name other libraries.
[[nodiscard]] std::string why_no_rules(std::string_view text);

// True if JSON has what all rule files in JSON have, such as a key "collectives".
[[nodiscard]] bool has_rules_in_json(std::string_view text);

// Throws a UserError that begins with `where` if why_no_rules() returns a reason for the text.
void check_for_rules(std::string_view where, std::string_view text);

}}  // namespace tutti::rule_files
