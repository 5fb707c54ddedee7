// The two files of MPICH that are asked beside its selection tree: how ch4 puts a collective
// together of parts, and what a node does in shared memory. What each composition does:
// src/mpid/ch4/src/ch4_coll_impl.h at v4.0.2 to v4.3.2.
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

// Those of a release, "MPIDI_Bcast_intra_composition_alpha" and others.
[[nodiscard]] std::vector<std::string_view> compositions_of(Collective collective, int release);
// The one with which the selection tree is asked for all ranks of a communicator over several
// nodes.
[[nodiscard]] std::string_view flat_composition(Collective collective, int release);
// What a release does by itself on communicators over several nodes with several ranks on one:
// whether it ever takes another than the flat one.
[[nodiscard]] bool composed_by_nodes(Collective collective);

// From so many bytes on, n as everywhere. A barrier, a gather and a scatter have one size only:
// MPICH counts those of the latter in elements.
struct CompositionSize {
  std::uint64_t from_bytes = 0;  // of the first one 0
  std::string composition;

  friend bool operator==(const CompositionSize&, const CompositionSize&) = default;
};
struct CompositionRanks {
  std::uint32_t from_ranks = 0;  // the first one serves all smaller numbers too
  std::vector<CompositionSize> sizes;
};
// For communicators of at most so many ranks per node on average; of the last one nothing.
struct CompositionNodes {
  std::optional<std::uint32_t> ranks_per_node;
  std::vector<CompositionRanks> ranks;
};
struct CompositionRules {
  Collective collective = Collective::bcast;
  std::vector<CompositionNodes> nodes;
};
// What is not named stays as MPICH has it built in, and so do communicators on one node, and those
// with one rank on each.
struct CompositionsToWrite {
  int release = 400;
  std::vector<CompositionRules> collectives;
};

// Throws InvariantError for a composition that the release lacks.
void write_compositions(const CompositionsToWrite& rules, std::ostream& out);

// The selection tree is asked for all ranks, of every collective.
[[nodiscard]] CompositionsToWrite all_flat(int release);

// Within nodes these stay in shared memory as MPICH has it built in, of bcast, reduce, allreduce
// and barrier; of the others the selection tree is asked for the ranks of a node.
void write_posix_rules(std::span<const Collective> kept, std::ostream& out);

}  // namespace tutti::inline rule_files
