// coll/han of Open MPI: a collective made of one among the ranks of each node, and one between
// nodes.
#pragma once

#include "src/built_in/built_in.hpp"

namespace tutti::inline built_in {

// Whether it has a function for the collective on a communicator of a program's. `version` as
// LibraryVersion::number.
[[nodiscard]] bool han_has(int version, Collective collective);
// Of those that it has, for which it wants as many ranks on every node.
[[nodiscard]] bool han_wants_even_nodes(Collective collective);

// On several nodes, of which one at least has several ranks. The levels below it are at depth 1.
[[nodiscard]] LibraryDecision han_decision(int version, const LibraryCall& call);

}  // namespace tutti::inline built_in
