// The algorithms that NCCL would choose, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <vector>

#include "src/experiments/decisions/nccl_answer.hpp"
#include "src/formats/document.hpp"

namespace tutti { inline namespace output {

// Prints the answer for one number of ranks and one size: the choice, all other algorithms and
// protocols, and the result of NCCL's graph search.
void print_nccl_answer(const NcclAnswer& answer, std::ostream& out);
// Prints a table with a line for each answer.
void print_nccl_answers(const std::vector<NcclAnswer>& answers, std::ostream& out);
extern const DocumentOf<std::vector<NcclAnswer>> kNcclDocument;

}}  // namespace tutti::output
