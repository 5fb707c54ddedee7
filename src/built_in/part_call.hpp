// A call on a communicator, of the program's or one that a library makes of its ranks, and what
// decision tables say of it.
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

// The library's own name for it; where it has none, ours.
[[nodiscard]] std::string_view library_name(const Choice& choice);

// Why the algorithm cannot serve the call; nothing where it can. The choice has one of ours.
[[nodiscard]] std::optional<std::string> refusal(const PartCall& call, const Choice& choice);

// What led to a choice, with the lower ends that earlier rules leave: "ranks from 8, size below
// 12 KiB"; "always".
[[nodiscard]] std::string conditions_of(const TableChoice& chosen, const DecisionTable& table);

}  // namespace tutti::inline built_in
