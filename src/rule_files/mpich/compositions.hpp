// Writes the two rule files that MPICH reads in addition to its selection tree. One says how
// MPICH's device ch4 composes a collective from other collectives; the other chooses the algorithm
// within a node's shared memory. Releases are encoded as in LibraryVersion. Source of the
// compositions: src/mpid/ch4/src/ch4_coll_impl.h at v4.0.2 to v4.3.2.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/rule_files/mpich/names.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace rule_files {

// Returns the names of the compositions that the release has for the collective, such as
// "MPIDI_Bcast_intra_composition_alpha".
[[nodiscard]] std::vector<std::string_view> compositions_of(Collective collective, int release);
// Returns the name of the flat composition, which does not split a communicator by nodes: the
// selection tree decides for all ranks of the communicator.
[[nodiscard]] std::string_view flat_composition(Collective collective, int release);
// True if MPICH, without rule files, splits some calls of the collective by nodes. It then does not
// always use the flat composition on communicators that span several nodes, at least one of which
// has several ranks.
[[nodiscard]] bool composed_by_nodes(Collective collective);

// The composition for vectors of at least `from_bytes` bytes. A list for barrier, gather, scatter
// or scan must have a single entry: MPICH has no size for a barrier or scan, and counts elements
// for gather and scatter.
struct CompositionSize {
  std::uint64_t from_bytes = 0;  // 0 in the first entry of a list
  std::string composition;

  friend bool operator==(const CompositionSize&, const CompositionSize&) = default;
};
struct CompositionRanks {
  // Smallest number of ranks; the first entry of a list also applies to smaller numbers.
  std::uint32_t from_ranks = 0;
  std::vector<CompositionSize> sizes;  // empty: MPICH's own choice
};
// Rules for communicators with at most `ranks_per_node` ranks per node on average. In the last
// entry of a list, `ranks_per_node` is empty: there is no limit.
struct CompositionNodes {
  std::optional<std::uint32_t> ranks_per_node;
  std::vector<CompositionRanks> ranks;
};
struct CompositionRules {
  Collective collective = Collective::bcast;
  std::vector<CompositionNodes> nodes;
};
// The content of a composition file. Collectives without an entry keep MPICH's built-in
// compositions. Communicators on a single node, and communicators with one rank per node, keep the
// built-in compositions too, except that rules for scan apply to all communicators.
struct CompositionsToWrite {
  int release = 400;
  std::vector<CompositionRules> collectives;
};

// Writes a composition file. Throws InvariantError if the release lacks one of the compositions.
void write_compositions(const CompositionsToWrite& rules, std::ostream& out);

// Returns rules by which every collective uses its flat composition, so that the selection tree
// decides for all ranks.
[[nodiscard]] CompositionsToWrite all_flat(int release);

// Writes rules by which the collectives in `kept` (bcast, reduce, allreduce or barrier) keep
// MPICH's built-in shared-memory algorithm within a node. For all other collectives, the selection
// tree decides for the ranks of a node.
void write_posix_rules(std::span<const Collective> kept, std::ostream& out);

}}  // namespace tutti::rule_files
