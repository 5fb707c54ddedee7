#pragma once

#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// Notes for which sizes a file of RCCL has no rule. RCCL does not use AMD's own table for these
// sizes.
void note_rccl_sizes_without_rule(RuleFile& file);

}}  // namespace tutti::rule_files
