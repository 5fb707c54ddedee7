// Tells users how to load a rule file, and what takes precedence over its rules. This text appears
// in the output of lint, in the header of exported files, and in the output of the command that
// exports a file.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::inline rule_files {

// Returns the command line or environment variable that loads `file`: "mpirun --mca
// coll_tuned_use_dynamic_rules 1 ... FILE". Empty if no library reads the format.
[[nodiscard]] std::string load_line(RuleFormat format, std::string_view file);

// Returns a text that says what takes precedence over rules in this format for these collectives;
// empty if nothing does. `release` is encoded as in MpichFile; 0 stands for any release that reads
// the format.
[[nodiscard]] std::string decided_before(RuleFormat format, int release,
                                         std::span<const Collective> collectives);

// Writes comments, each of which begins with #: who made the file, how to load it, and what takes
// precedence over its rules.
void write_head(std::string_view made_by, RuleFormat format, int release,
                std::span<const Collective> collectives, std::ostream& out);
void write_head(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);

}  // namespace tutti::inline rule_files
