// Finds rules of NCCL's tuner with which NCCL would be slower, according to its own cost model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/requests/nccl_options.hpp"
#include "src/rule_files/nccl/csv.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace experiments {

// Adds a warning to `file`, which must be one of NCCL's tuner, for each rule that NCCL's model
// finds slower than NCCL's own choice at some size, and a note that names the machine. A file of
// 'tutti decide' says which loss it allows (see allowed_by_model()); others allow 1 %. Returns
// these rules. The number of nodes is that of the rule; if it has none, the nodes are full. `text`
// is the file's text, and `ranks` are for rules that are for any number of ranks. Throws UserError
// if `machine` is invalid.
LosingRules find_losing_rules(const NcclOptions& machine, std::string_view text,
                              const std::vector<std::uint32_t>& ranks, RuleFile& file);

// Returns the words for --model-loss in the comments of a rule file.
[[nodiscard]] std::string allowed_by_model(double loss);

// Returns a sentence for the comments of a rule file: the release and the machine for which it was
// made.
[[nodiscard]] std::string machine_of_rules(const NcclJob& job);
// Sets the release and the GPU to those of machine_of_rules() in the comments of a file, if any.
void take_machine_of_rules(std::string_view text, NcclOptions& machine);

}}  // namespace tutti::experiments
