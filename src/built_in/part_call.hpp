// A call on a communicator of the program, or on one that the library makes from its ranks; and
// what decision tables choose for it.
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
  std::uint64_t bytes = 0;  // n among these ranks
  std::uint32_t element_bytes = 1;
  std::size_t depth = 0;
  std::string whom;  // LibraryLevel::ranks
};

// The library's name for the choice; if it has none, tutti's.
[[nodiscard]] std::string_view library_name(const Choice& choice);

// Reason why the algorithm cannot serve the call; nothing if it can. The choice must have an
// algorithm of tutti.
[[nodiscard]] std::optional<std::string> refusal(const PartCall& call, const Choice& choice);

// Conditions that led to a choice, including the lower bounds that follow from earlier rules:
// "ranks from 8, size below 12 KiB"; or "always".
[[nodiscard]] std::string conditions_of(const TableChoice& chosen, const DecisionTable& table);

}  // namespace tutti::inline built_in
