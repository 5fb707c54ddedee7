// A call on a communicator: the program's, or one that the library makes from the program's ranks.
// Also says what decision tables choose for the call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schedules/collective.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti::inline built_in {

struct PartCall {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 2;
  std::uint64_t bytes = 0;  // n of the call among these ranks
  std::uint32_t element_bytes = 1;
  std::size_t depth = 0;
  std::string whom;  // text for LibraryLevel::ranks
};

// The library's name for the choice, or tutti's name if the library has none.
[[nodiscard]] std::string_view library_name(const Choice& choice);

// Reason why the algorithm cannot serve the call; nothing if it can. The choice must have an
// algorithm of tutti.
[[nodiscard]] std::optional<std::string> refusal(const PartCall& call, const Choice& choice);

// Conditions that led to a choice, including the lower bounds that follow from earlier rules:
// "ranks from 8, size below 12 KiB"; or "always".
[[nodiscard]] std::string conditions_of(const TableChoice& chosen, const DecisionTable& table);

}  // namespace tutti::inline built_in
