// Readers and writers of the rule files of Open MPI's coll/tuned.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

// `version`: ompi4 or ompi5.
[[nodiscard]] RuleFile read_ompi_classic(std::string_view text, RuleFormat version);
void write_ompi_classic(std::span<const RulesToWrite> rules, RuleFormat version, std::ostream& out);

[[nodiscard]] RuleFile read_ompi_json(std::string_view text);
void write_ompi_json(std::span<const RulesToWrite> rules, std::ostream& out);

}}  // namespace tutti::rule_files
