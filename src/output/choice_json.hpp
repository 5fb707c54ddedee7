// The document tutti-choice/2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/built_in/built_in.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/formats/document.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti { inline namespace output {

// The choice of a library or a table for a call.
struct ChoiceRow {
  std::uint32_t ranks = 0;
  std::uint64_t bytes = 0;
  const Choice* choice = nullptr;  // null if there is none in tutti
  const Choice* runs = nullptr;    // what runs; null if it is not known
  std::string refused;
  // Set for a library.
  const LibraryCall* call = nullptr;
  const LibraryDecision* decision = nullptr;
  // Set for a table.
  const DecisionTable* table = nullptr;
  std::vector<const Rule*> rules = {};
};
// The arguments must outlive the row.
[[nodiscard]] ChoiceRow choice_row(const LibraryCall& call, const LibraryDecision& decision);
[[nodiscard]] ChoiceRow choice_row(const Problem& problem, const DecisionTable& table,
                                   const TableChoice& chosen, const TableRun& run);

struct ChoiceAnswer {
  const Problem& problem;  // the first one
  std::string_view library;
  const std::vector<std::string>& tables;  // values of --table
  const std::vector<ChoiceRow>& choices;
};
extern const DocumentOf<ChoiceAnswer> kChoiceDocument;

}}  // namespace tutti::output
