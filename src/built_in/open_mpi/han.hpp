// Decisions of Open MPI's component coll/han, which runs a collective as several collectives within
// nodes and between nodes.
#pragma once

#include <string>

#include "src/built_in/built_in.hpp"

namespace tutti { inline namespace built_in {

// True if coll/han requires the same number of ranks on every node for the collective.
[[nodiscard]] bool han_wants_even_nodes(Collective collective);

// Returns the algorithm that coll/han runs if neither a parameter nor a rule names one: "intra".
[[nodiscard]] std::string_view han_default(Collective collective);

// Returns coll/han's decision for a call on several nodes, at least one of which has several ranks.
// In its path, the call itself has depth 0, and the calls within and between nodes have depth 1.
// `release` is LibraryVersion::release. `rule`: the place of the rule that names the algorithm
// "simple", which must be one of has_simple(); empty for the default algorithm.
[[nodiscard]] LibraryDecision han_decision(int release, const LibraryCall& call,
                                           const std::string& rule = "");

// True if tutti knows coll/han's algorithm "simple" for the collective, which is not the default.
[[nodiscard]] constexpr bool has_simple(Collective collective) {
  return collective == Collective::bcast || collective == Collective::reduce ||
         collective == Collective::allreduce;
}

}}  // namespace tutti::built_in
