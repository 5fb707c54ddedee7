// A call on one communicator: either the program's communicator, or one that the library creates
// for a part of the program's ranks. The functions below describe what decision tables choose for
// such a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/collective.hpp"
#include "src/built_in/built_in.hpp"
#include "src/rule_files/decision_table.hpp"

namespace tutti { inline namespace built_in {

struct PartCall {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 2;
  std::uint64_t bytes = 0;  // the size of the largest buffer that any of these ranks holds
  std::uint32_t element_bytes = 1;
  std::size_t depth = 0;  // see LibraryLevel::depth
  std::string whom;       // description of the ranks, for LibraryLevel::ranks
  // The communicator, as MPICH's rules see it.
  MpichHierarchy hierarchy = MpichHierarchy::flat;
  std::uint32_t nodes = 1;
};

// Nodes with the same number of ranks.
struct EqualNodes {
  std::uint32_t ranks_per_node = 1;
  std::string ranks_in_words;  // "8 ranks on each node", "3 ranks on the last node"
};
// Returns all nodes of the call, or, if the last node has fewer ranks, all other nodes and the last
// one.
[[nodiscard]] std::vector<EqualNodes> equal_nodes(const LibraryCall& call);

// Returns the library's name for the chosen algorithm, or tutti's name if the choice has no library
// name.
[[nodiscard]] std::string_view library_name(const Choice& choice);

// Returns the reason why the chosen algorithm cannot run the call; nothing if it can. Must not be
// called for a choice for which tutti has no algorithm.
[[nodiscard]] std::optional<std::string> refusal(const PartCall& call, const Choice& choice);

// Returns the place of the rule that chose, in the rule file that DecisionTable::source names:
// "tuned.conf, line 4".
[[nodiscard]] std::string place_of(const TableChoice& chosen, const DecisionTable& table);

// Returns the conditions that led to a choice, such as "ranks from 8, size below 12 KiB"; "always"
// if there are none. Includes lower bounds that follow from earlier rules of the table: a rule is
// reached only if no earlier rule holds.
[[nodiscard]] std::string conditions_of(const TableChoice& chosen, const DecisionTable& table);

}}  // namespace tutti::built_in
