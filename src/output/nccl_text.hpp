// What NCCL would run, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <vector>

#include "src/experiments/nccl_answer.hpp"

namespace tutti::inline output {

// The version whose model it is.
inline constexpr const char* kNcclModelled = "NCCL 2.30";

// One cell: the choice, every algorithm and protocol beside it, and what the search has found.
void print_nccl_answer(const NcclAnswer& answer, std::ostream& out);
// Several: a line for each.
void print_nccl_answers(const std::vector<NcclAnswer>& answers, std::ostream& out);
// tutti-nccl/1
[[nodiscard]] nlohmann::ordered_json nccl_json(const std::vector<NcclAnswer>& answers);
// "tutti simulate allreduce/ring -p 64 -n 1MiB --ranks-per-host 8"; "" where tutti has no schedule.
[[nodiscard]] std::string nccl_command(const NcclAnswer& answer);

}  // namespace tutti::inline output
