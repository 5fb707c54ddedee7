// MPICH's "Coll" selection: which MPIR_ algorithm runs on one communicator.
#pragma once

#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti::inline built_in {

// LibraryVersion::number of MPICH 4.0, the first version whose decisions are known.
inline constexpr int kFirst = 4;

// Decision for a communicator of at least two ranks: one rank of each node, the ranks of one node,
// or, if no composition splits the call, the ranks of several nodes. `version` is
// LibraryVersion::number. The path has one level.
[[nodiscard]] LibraryDecision mpir_decision(int version, const PartCall& call);

// Name of a collective in names of functions: "Reduce_scatter_block".
[[nodiscard]] std::string mpich_name(Collective collective);

}  // namespace tutti::inline built_in
