// Rules of the tuners of NCCL and RCCL. `format` is nccl or rccl.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "src/rule_files/rule_file.hpp"
#include "src/rule_files/write_rules.hpp"

namespace tutti { inline namespace rule_files {

[[nodiscard]] RuleFile read_nccl_csv(std::string_view text, RuleFormat format);
void write_nccl_csv(std::span<const RulesToWrite> rules, RuleFormat format, std::ostream& out);

// True if NCCL can run the algorithm with the protocol for the collective on some machine. The
// names are those of tuner files. Source: NVIDIA/nccl 5067397c (2.30), src/graph/tuning.cc,
// ncclTopoTuneModel.
[[nodiscard]] bool nccl_has(Collective collective, std::string_view algorithm,
                            std::string_view protocol);

}}  // namespace tutti::rule_files
