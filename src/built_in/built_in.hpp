// Built-in decisions of MPI libraries: what a library runs for a call if the user changes no
// settings. A decision covers every step, from the component of the library that runs the call to
// the algorithm and its parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedules/collective.hpp"
#include "src/rule_files/decision_table.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/mpich/json.hpp"

namespace tutti { inline namespace built_in {

// A call, described by the properties on which a library's decision depends. Consecutive ranks
// share a node, and every node except the last has the same number of ranks. Operators and types
// are predefined, and operators commute. The root is rank 0.
struct LibraryCall {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_node = 1;  // the last node may have fewer
  std::uint64_t bytes = 0;           // n: the size of the largest buffer that any rank holds
  std::uint32_t element_bytes = 1;
  // The rules in a site's file for Open MPI's coll/tuned. These rules apply to every communicator.
  // If none of them holds, the built-in decision applies. Empty for MPICH.
  std::span<const DecisionTable> rules = {};
  // The rules in a site's file for Open MPI's coll/han. If a rule holds, the component that it
  // names runs the call.
  std::span<const DecisionTable> han_rules = {};
  // A site's rule files for MPICH, at most one for each MpichLevel. Each of them replaces MPICH's
  // built-in decisions of its level.
  std::span<const MpichSiteFile> mpich_files = {};
  // If true, coll/han and ch4's compositions are skipped, and only the decision table decides, for
  // all ranks together.
  bool table_alone = false;
  // True if ranks on a node can map each other's memory (XPMEM), which coll/han needs for alltoall
  // and alltoallv.
  bool xpmem = false;

  [[nodiscard]] std::uint32_t nodes() const {
    return (ranks + ranks_per_node - 1) / ranks_per_node;
  }
};

// The call for which a rule of a site's file was looked up.
struct RuleQuery {
  Collective collective = Collective::allreduce;
  std::uint32_t ranks = 1;
  std::uint64_t bytes = 0;
};

// One decision on the way to the algorithm. If the library splits a call into calls on parts of the
// ranks (a composition), the composition is one level, and each call on a part of the ranks is
// another level, whose depth is larger by 1.
struct LibraryLevel {
  std::size_t depth = 0;   // 0: the program's call; 1: a call that the program's call makes; ...
  std::string decided_by;  // "coll/han", "ch4 composition", "coll/tuned", "Coll", "posix"
  std::string ranks;       // the ranks that take part: "8 node roots"; empty at depth 0
  // File and function of the library: "coll_tuned_decision_fixed.c, bcast_intra_dec_fixed".
  std::string where;
  std::string because;  // reason for the decision: "ranks below 64, size below 8 KiB"
  // The library's name for the choice, with parameters as in the library's rules.
  std::string chosen;
  std::optional<RuleQuery> rule = {};  // set if one of LibraryCall::rules decided
};

struct LibraryDecision {
  std::vector<LibraryLevel> path;  // decisions in the order in which the library makes them; never
                                   // empty
  // The choice for the whole call. Its algorithm is empty if tutti has no equivalent.
  Choice choice;
  std::string lacking;  // why tutti has no equivalent; empty if it has one
  // Assumption about the machine that would change the decision if it were wrong; "" if there is
  // none.
  std::string assumed = {};
};

// Returns nothing if tutti does not know the decisions of the version: see
// versions_with_decisions().
[[nodiscard]] std::optional<LibraryDecision> built_in_decision(const LibraryVersion& version,
                                                               const LibraryCall& call);
// Returns the names of the versions whose decisions tutti knows: "Open MPI 4.1", ...
[[nodiscard]] std::vector<std::string_view> versions_with_decisions();

// Return the decision of Open MPI, or of MPICH, for the call. `version` must be a version of that
// library.
// assumed_of_open_mpi() returns LibraryDecision::assumed for a release of Open MPI.
[[nodiscard]] std::string assumed_of_open_mpi(int release, const LibraryCall& call);
[[nodiscard]] LibraryDecision open_mpi_decision(const LibraryVersion& version,
                                                const LibraryCall& call);
[[nodiscard]] LibraryDecision mpich_decision(const LibraryVersion& version,
                                             const LibraryCall& call);

}}  // namespace tutti::built_in
