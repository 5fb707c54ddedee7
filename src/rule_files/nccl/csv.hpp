// Rules of the tuners of NCCL and RCCL. `format` is nccl or rccl.
#pragma once

#include <cstddef>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

[[nodiscard]] RuleFile read_nccl_csv(std::string_view text, RuleFormat format);
// Returns the line of a rule, whose ranks and nodes are single numbers or any.
[[nodiscard]] std::string nccl_csv_line(RuleFormat format, Collective collective, const Rule& rule);
void write_nccl_csv(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);

// Writes the text of a file of NCCL's or RCCL's tuner again. `file` is what read_nccl_csv()
// returned for it. Rules with errors, and those in the lines `left_out`, become comments, with the
// reason from the findings. All other rules are written in the form of nccl_csv_line(). All other
// lines, and rules for groups of calls or for registered buffers, are copied.
void write_sound_rules(std::string_view text, const RuleFile& file,
                       const std::set<std::size_t>& left_out, std::ostream& out);

// True if NCCL can run the algorithm with the protocol for the collective on some machine. The
// names are those of tuner files. Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc,
// ncclTopoTuneModel.
[[nodiscard]] bool nccl_has(Collective collective, std::string_view algorithm,
                            std::string_view protocol);

}}  // namespace tutti::rule_files
