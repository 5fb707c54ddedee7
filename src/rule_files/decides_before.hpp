// How a library is told of a rule file, and what decides before the rules in it are asked: the one
// place for lint, for the head of exported files, and for what is said beside them.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti::inline rule_files {

// "mpirun --mca coll_tuned_use_dynamic_rules 1 ... FILE"; "" where no library reads the form.
[[nodiscard]] std::string load_line(RuleFormat format, std::string_view file);

// Sentences, none where nothing does. `release` as MpichFile has it; 0: any that reads the form.
[[nodiscard]] std::vector<std::string> decided_before(RuleFormat format, int release,
                                                      std::span<const Collective> collectives);

// Both, and who made the file, as comments that begin with #.
void write_head(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);

}  // namespace tutti::inline rule_files
