// Decisions of Open MPI's components for a call on one communicator: coll/tuned; coll/basic, for
// collectives that coll/tuned does not have; and coll/libnbc, for nonblocking calls.
#pragma once

#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti { inline namespace built_in {

// LibraryVersion::release of Open MPI's main branch.
inline constexpr int kMain = 600;

struct CommunicatorCall : PartCall {
  int release = 401;  // LibraryVersion::release
  // True if Open MPI knows that the communicator has one rank on each node. Open MPI knows this
  // only of communicators that it makes from other communicators: it does not set the flags of
  // MPI_COMM_WORLD (main of August 2026, ompi/communicator/comm_cid.c).
  bool one_per_node = false;
  std::span<const DecisionTable> rules = {};  // copied from LibraryCall::rules
};

// True if coll/tuned runs the collective on communicators for which a site's file has these rules;
// coll/basic runs the other collectives. coll/tuned has built-in decisions for all collectives but
// gatherv, scatterv, scan and exscan. It also runs a scan or exscan if the file has rules for it.
// Source: COLL_TUNED_EXECUTE_IF_DYNAMIC in coll_tuned_module.c at v4.1.4, v5.0.9 and main.
[[nodiscard]] bool tuned_has(Collective collective, std::span<const DecisionTable> rules);

// Returns the decision of coll/tuned for a call on at least two ranks. tuned_has() must be true. If
// the chosen algorithm cannot run the call, the decision's path also contains the replacement that
// coll/base runs.
[[nodiscard]] LibraryDecision tuned_decision(const CommunicatorCall& call);
// Returns the decision of coll/basic for gatherv, scatterv, scan and exscan.
[[nodiscard]] LibraryDecision basic_decision(const CommunicatorCall& call);
// Returns the decision of coll/libnbc for the nonblocking bcast and reduce.
[[nodiscard]] LibraryDecision libnbc_decision(const CommunicatorCall& call);

}}  // namespace tutti::built_in
