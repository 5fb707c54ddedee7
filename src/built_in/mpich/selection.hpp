// MPICH's "Coll" selection: which MPIR_ algorithm runs on one communicator.
#pragma once

#include "src/built_in/built_in.hpp"
#include "src/built_in/part_call.hpp"

namespace tutti::inline built_in {

// LibraryVersion::number of MPICH 4.0, the first version whose decisions are known.
inline constexpr int kFirst = 4;

// On at least two ranks: one of each node, those of a node, or those of several nodes in a call
// that no composition takes apart. `version` as LibraryVersion::number. One level.
[[nodiscard]] LibraryDecision mpir_decision(int version, const PartCall& call);

// "Reduce_scatter_block", as in names of functions.
[[nodiscard]] std::string mpich_name(Collective collective);

}  // namespace tutti::inline built_in
