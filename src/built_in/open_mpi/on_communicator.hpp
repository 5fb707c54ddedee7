// What components of Open MPI decide for a call on one communicator: coll/tuned, and those that
// take what it has not, or what is not blocking.
#pragma once

#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti::inline built_in {

// LibraryVersion::number of Open MPI's main branch.
inline constexpr int kMain = 6;

struct CommunicatorCall : PartCall {
  int version = 4;  // LibraryVersion::number
  // Known to have one rank on each node: of communicators that are made from others, and never of
  // MPI_COMM_WORLD, whose flags nothing sets (main of August 2026, ompi/communicator/comm_cid.c).
  bool one_per_node = false;
  std::span<const DecisionTable> rules = {};  // LibraryCall::rules
};

// Whether coll/tuned decides the collective at all; the others are left to coll/basic.
[[nodiscard]] bool tuned_has(Collective collective);

// On at least two ranks. The path has the decision, and what coll/base runs instead where the
// algorithm cannot serve the call.
[[nodiscard]] LibraryDecision tuned_decision(const CommunicatorCall& call);
// Of gatherv, scatterv, scan and exscan.
[[nodiscard]] LibraryDecision basic_decision(const CommunicatorCall& call);
// Of the nonblocking bcast and reduce.
[[nodiscard]] LibraryDecision libnbc_decision(const CommunicatorCall& call);

}  // namespace tutti::inline built_in
