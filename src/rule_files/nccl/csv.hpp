// Rules of the tuners of NCCL and RCCL. `format` is nccl or rccl.
#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

[[nodiscard]] RuleFile read_nccl_csv(std::string_view text, RuleFormat format);
// Returns the line of a rule, whose ranks and nodes are single numbers or any.
[[nodiscard]] std::string nccl_csv_line(RuleFormat format, Collective collective, const Rule& rule);
void write_nccl_csv(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);

// Rules of a file that lose against the library's own choice, by line, and the rules that have this
// choice instead; none if it is not known.
using LosingRules = std::map<std::size_t, std::vector<Rule>>;

// Writes the text of a file of NCCL's or RCCL's tuner again. `file` is what read_nccl_csv()
// returned for it. Rules with errors and `losing` ones become comments, with the reason from the
// findings; the rules that replace a losing one follow it. All other rules are written in the form
// of nccl_csv_line(). All other lines, and rules for groups of calls or for registered buffers, are
// copied.
void write_sound_rules(std::string_view text, const RuleFile& file, const LosingRules& losing,
                       std::ostream& out);

// True if NCCL can run the algorithm with the protocol for the collective on some machine. The
// names are those of tuner files. Source: NVIDIA/nccl 73cf1122 (2.30.7), src/graph/tuning.cc,
// ncclTopoTuneModel.
[[nodiscard]] bool nccl_has(Collective collective, std::string_view algorithm,
                            std::string_view protocol);

}}  // namespace tutti::rule_files
