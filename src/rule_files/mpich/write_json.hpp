// Writers of MPICH's selection trees.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <ostream>
#include <span>
#include <string_view>

#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

// Writes the tree of all collectives. `version`: mpich, mpich41 or mpich43.
void write_mpich_json(std::span<const RulesToWrite> rules, RuleFormat version, std::ostream& out);
// Writes the trees of MPICH 5.1 that the rules replace.
void write_mpich_named_trees(std::span<const RulesToWrite> rules, std::ostream& out);

// MPICH computes two sizes for a call, and each condition on a size in its rules names one of them.
// Returns the name of the one that equals tutti's n for the collective: "avg_msg_size" or
// "total_msg_size".
[[nodiscard]] std::string_view mpich_size(Collective collective);
// Writes a rule file of MPICH as text.
void write_mpich_text(const nlohmann::ordered_json& file, std::ostream& out);

}}  // namespace tutti::rule_files
