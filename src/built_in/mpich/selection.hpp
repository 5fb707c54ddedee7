// MPICH's "Coll" selection, which chooses the MPIR_ algorithm that runs on one communicator.
#pragma once

#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti::inline built_in {

// LibraryVersion::release of MPICH 4.0, the first version whose decisions are known.
inline constexpr int kFirst = 400;

// Returns the decision for a communicator of at least two ranks. The communicator contains one rank
// of each node, or the ranks of one node, or, if no composition splits the call, all ranks.
// `release` is LibraryVersion::release. The decision has one level.
[[nodiscard]] LibraryDecision mpir_decision(int release, const PartCall& call);

}  // namespace tutti::inline built_in
