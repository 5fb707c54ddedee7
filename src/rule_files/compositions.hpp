// Writes the two rule files that MPICH reads beside its selection tree. One says from which parts
// ch4 composes a collective; the other chooses the algorithm within a node's shared memory. Source
// of the compositions: src/mpid/ch4/src/ch4_coll_impl.h at v4.0.2 to v4.3.2.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/mpich_names.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti::inline rule_files {

// Compositions that a release has for the collective: "MPIDI_Bcast_intra_composition_alpha" and
// others.
[[nodiscard]] std::vector<std::string_view> compositions_of(Collective collective, int release);
// The composition that does not split a communicator by nodes: the selection tree then decides for
// all of its ranks.
[[nodiscard]] std::string_view flat_composition(Collective collective, int release);
// True if MPICH without rules ever uses a composition other than the flat one on communicators over
// several nodes with several ranks on at least one of them.
[[nodiscard]] bool composed_by_nodes(Collective collective);

// Composition for vectors of at least `from_bytes` (n). Barrier, gather, scatter and scan must
// have a single entry: MPICH has no size for a barrier or scan, and counts elements for gather and
// scatter.
struct CompositionSize {
  std::uint64_t from_bytes = 0;  // smallest size; 0 in the first entry
  std::string composition;

  friend bool operator==(const CompositionSize&, const CompositionSize&) = default;
};
struct CompositionRanks {
  std::uint32_t from_ranks = 0;  // the fewest ranks; the first entry also serves fewer
  std::vector<CompositionSize> sizes;
};
// Rules for communicators with at most `ranks_per_node` ranks per node on average. The last entry
// has no such limit.
struct CompositionNodes {
  std::optional<std::uint32_t> ranks_per_node;
  std::vector<CompositionRanks> ranks;
};
struct CompositionRules {
  Collective collective = Collective::bcast;
  std::vector<CompositionNodes> nodes;
};
// Collectives that are not named keep MPICH's built-in compositions. So do communicators on a
// single node, and those with one rank per node.
struct CompositionsToWrite {
  int release = 400;
  std::vector<CompositionRules> collectives;
};

// Throws InvariantError if the release lacks one of the compositions.
void write_compositions(const CompositionsToWrite& rules, std::ostream& out);

// Rules by which every collective uses its flat composition: the selection tree decides for all
// ranks.
[[nodiscard]] CompositionsToWrite all_flat(int release);

// Writes rules by which the collectives in `kept` (bcast, reduce, allreduce or barrier) keep
// MPICH's built-in shared-memory algorithm within a node. For all other collectives the selection
// tree decides for the ranks of a node.
void write_posix_rules(std::span<const Collective> kept, std::ostream& out);

}  // namespace tutti::inline rule_files
