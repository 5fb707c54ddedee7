// Decisions of Open MPI's components for a call on one communicator: coll/tuned; coll/basic, for
// collectives that tuned does not have; and coll/libnbc, for nonblocking calls.
#pragma once

#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti::inline built_in {

// LibraryVersion::number of Open MPI's main branch.
inline constexpr int kMain = 6;

struct CommunicatorCall : PartCall {
  int version = 4;  // LibraryVersion::number
  // The communicator is known to have one rank on each node. This is only known of communicators
  // that are made from others, and never of MPI_COMM_WORLD, whose flags are not set (main of August
  // 2026, ompi/communicator/comm_cid.c).
  bool one_per_node = false;
  std::span<const DecisionTable> rules = {};  // copied from LibraryCall::rules
};

// True if coll/tuned has the collective; the others are left to coll/basic.
[[nodiscard]] bool tuned_has(Collective collective);

// Decision of coll/tuned on at least two ranks. The path contains the decision, and also the
// replacement that coll/base runs if the chosen algorithm cannot serve the call.
[[nodiscard]] LibraryDecision tuned_decision(const CommunicatorCall& call);
// Decision of coll/basic for gatherv, scatterv, scan and exscan.
[[nodiscard]] LibraryDecision basic_decision(const CommunicatorCall& call);
// Decision of coll/libnbc for the nonblocking bcast and reduce.
[[nodiscard]] LibraryDecision libnbc_decision(const CommunicatorCall& call);

}  // namespace tutti::inline built_in
