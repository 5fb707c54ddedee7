// Reads the conditions of MPICH 5.1's named trees.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/formats/json_lines.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// A condition without a number, and the conditions of earlier releases that have the same meaning.
struct PlainCondition {
  std::string_view name;
  std::string_view yes = "";  // earlier condition that holds if this one does
  std::string_view no = "";   // earlier condition that holds if this one does not
};
// A condition of the file.
struct NamedCondition {
  const PlainCondition* plain = nullptr;  // null for a condition with a number
  std::string_view size;  // "comm_size", "avg_msg_size" or "total_msg_size"; empty for a plain one
  std::int64_t at_most = 0;  // the largest size for which the condition holds
  bool negated = false;
};

// Reads the condition in the key of `member`; returns nothing if MPICH does not have it. `report`:
// true if faults are to be reported.
[[nodiscard]] std::optional<NamedCondition> named_condition_in(const JsonLine& member, bool report,
                                                               RuleFile& file);

// Reports a fault that makes every program abort in MPI_Init.
void report_abort(std::size_t line, std::string_view text, std::string_view hint, RuleFile& file);

}}  // namespace tutti::rule_files
