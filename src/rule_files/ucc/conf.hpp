// UCC's configuration file.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

[[nodiscard]] RuleFile read_ucc_conf(std::string_view text);
void write_ucc_conf(std::span<const RulesToWrite> rules, std::ostream& out);

}}  // namespace tutti::rule_files
