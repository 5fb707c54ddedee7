// What a library runs when nobody tells it anything: every level that the call goes through, from
// the component that takes it to the algorithm and its parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedules/collective.hpp"
#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/library_catalogue.hpp"

namespace tutti::inline built_in {

// A call as a library's decisions see it: ranks in blocks on nodes, as many on each; operators and
// types are the library's own, and commute; a root is rank 0.
struct LibraryCall {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_node = 1;  // of the last node maybe fewer
  std::uint64_t bytes = 0;           // n, as everywhere: the largest buffer that any rank holds
  std::uint32_t element_bytes = 1;
  // What a site's file says to coll/tuned of Open MPI, on every communicator; where no rule of it
  // holds, what is built in decides. MPICH's compositions do not ask a site's tree.
  std::span<const DecisionTable> rules = {};
  // The site's rules for coll/han of Open MPI: which component takes the call, where it has a
  // rule.
  std::span<const DecisionTable> han_rules = {};
  // Asks the table for all ranks, as if coll/han, or ch4's compositions, handed the call on.
  bool table_alone = false;

  [[nodiscard]] std::uint32_t nodes() const {
    return (ranks + ranks_per_node - 1) / ranks_per_node;
  }
};

// What a rule of a site's file was looked up for.
struct RuleAsked {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;
};

// One place where something is decided. A composition has a level for itself, and below it one for
// each call on a part of the ranks.
struct LibraryLevel {
  std::size_t depth = 0;   // 0 is the call of the program
  std::string decided_by;  // "coll/han", "ch4 composition", "coll/tuned", "Coll", "posix"
  std::string ranks;       // whom it is asked for: "8 node roots"; "" at depth 0
  std::string where;       // "coll_tuned_decision_fixed.c, bcast_intra_dec_fixed"
  std::string because;     // "ranks below 64, size below 8 KiB"
  std::string chosen;      // the library's name, with parameters as rules give them
  std::optional<RuleAsked> rule = {};  // LibraryCall::rules decided; nothing where others did
};

struct LibraryDecision {
  std::vector<LibraryLevel> path;  // in the order in which the library asks; never empty
  Choice choice;        // of the whole call; its algorithm "" where tutti has none like it
  std::string lacking;  // why there is none
};

// Null for libraries whose decisions tutti does not have: see versions_with_decisions().
[[nodiscard]] std::optional<LibraryDecision> built_in_decision(const LibraryVersion& version,
                                                               const LibraryCall& call);
// "Open MPI 4.1", ...
[[nodiscard]] std::vector<std::string_view> versions_with_decisions();

// By library; `version` is of its family.
[[nodiscard]] LibraryDecision open_mpi_decision(const LibraryVersion& version,
                                                const LibraryCall& call);
[[nodiscard]] LibraryDecision mpich_decision(const LibraryVersion& version,
                                             const LibraryCall& call);

}  // namespace tutti::inline built_in
