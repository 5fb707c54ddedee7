// Built-in decisions of libraries: what a library runs if the user changes no settings. A decision
// includes every level of the call, from the component that runs it to the algorithm and its
// parameters.
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

// A call as a library's decisions see it. Ranks are placed on nodes in blocks, with the same number
// on each. Operators and types are predefined, and operators commute. The root is rank 0.
struct LibraryCall {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_node = 1;  // the last node may have fewer
  std::uint64_t bytes = 0;           // n: the size of the largest buffer that any rank holds
  std::uint32_t element_bytes = 1;
  // The rules in a site's file for Open MPI's coll/tuned. They apply to every communicator. If no
  // rule holds, the built-in decision applies. Empty for MPICH, whose compositions ignore a site's
  // selection tree.
  std::span<const DecisionTable> rules = {};
  // The rules in a site's file for Open MPI's coll/han. A rule that holds names the component that
  // runs the call.
  std::span<const DecisionTable> han_rules = {};
  // True: skip coll/han and ch4's compositions, and look up the call on all ranks in the decision
  // table.
  bool table_alone = false;

  [[nodiscard]] std::uint32_t nodes() const {
    return (ranks + ranks_per_node - 1) / ranks_per_node;
  }
};

// Call for which a rule of a site's file was looked up.
struct RuleAsked {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;
};

// One decision on the way to the algorithm. A composition is one level. Each of its calls on a part
// of the ranks is a further level, one deeper.
struct LibraryLevel {
  std::size_t depth = 0;   // 0: the program's own call; 1: a call that this call makes; ...
  std::string decided_by;  // "coll/han", "ch4 composition", "coll/tuned", "Coll", "posix"
  std::string ranks;       // the ranks that take part: "8 node roots"; empty at depth 0
  std::string where;       // "coll_tuned_decision_fixed.c, bcast_intra_dec_fixed"
  std::string because;     // "ranks below 64, size below 8 KiB"
  std::string chosen;      // the library's name, with parameters as in its rules
  std::optional<RuleAsked> rule = {};  // the call that was looked up, if LibraryCall::rules decided
};

struct LibraryDecision {
  std::vector<LibraryLevel> path;  // decisions in the order in which the library makes them; never
                                   // empty
  // The choice for the whole call. Its algorithm is empty if tutti has no equivalent.
  Choice choice;
  std::string lacking;  // why tutti has no equivalent; empty if it has one
};

// Returns nothing for libraries whose decisions tutti does not know: see versions_with_decisions().
[[nodiscard]] std::optional<LibraryDecision> built_in_decision(const LibraryVersion& version,
                                                               const LibraryCall& call);
// Names of the versions whose decisions are known: "Open MPI 4.1", ...
[[nodiscard]] std::vector<std::string_view> versions_with_decisions();

// Decisions of a single library; `version` must belong to it.
[[nodiscard]] LibraryDecision open_mpi_decision(const LibraryVersion& version,
                                                const LibraryCall& call);
[[nodiscard]] LibraryDecision mpich_decision(const LibraryVersion& version,
                                             const LibraryCall& call);

}  // namespace tutti::inline built_in
