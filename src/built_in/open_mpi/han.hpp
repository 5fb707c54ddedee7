// Open MPI's coll/han: it composes a collective from a collective among the ranks of each node and
// a collective between nodes.
#pragma once

#include "src/built_in/built_in.hpp"

namespace tutti::inline built_in {

// True if coll/han has a function for the collective on a program's communicator. `version` is
// LibraryVersion::number.
[[nodiscard]] bool han_has(int version, Collective collective);
// True if coll/han requires the same number of ranks on every node for the collective.
[[nodiscard]] bool han_wants_even_nodes(Collective collective);

// Decision on several nodes, at least one of which has several ranks. The levels below it are at
// depth 1.
[[nodiscard]] LibraryDecision han_decision(int version, const LibraryCall& call);

}  // namespace tutti::inline built_in
