// Two binary trees over all ranks, for the two halves of a vector: who hands on one half is, in the
// other tree, a leaf. Each half goes in segments, so that every rank sends no more than it
// receives.
//
// Tree 1: a rank with its lowest bit at 2^b, b > 0, stands between its children, 2^(b-1) below and
// above it, or as far above as there are ranks; rank 0 stands over all of them. Tree 2 is the
// mirror image for an even number of ranks, and for an odd one the same tree moved by a rank: then
// one rank may hand on both halves. Ranks count from the root.
//
// Source: NCCL, src/graph/trees.cc, ncclGetBtree and ncclGetDtree (NCCL builds them over nodes);
// UCC calls it dbt; Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast,
// reduction and scan", Parallel Computing 35(12), 2009.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/sentence.hpp"
#include "schedules/block_layout.hpp"
#include "schedules/patterns/segmented_tree.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// Edges with the lower child first.
[[nodiscard]] std::array<RootedTree, 2> double_tree(std::uint32_t ranks, Rank root);
// Who is nobody's child.
[[nodiscard]] Rank root_of(const RootedTree& tree, Rank if_alone);

// The segments of the first half, then as many of the second one, of --segment bytes, or 64 KiB;
// the last ones are shorter, or empty.
[[nodiscard]] BlockLayout double_tree_layout(const Problem& problem);

// For Algorithm::refusal.
[[nodiscard]] std::optional<Sentence> refuse_double_tree(const Problem& problem);
inline constexpr std::array<std::string_view, 2> kDoubleTreeLimits{
    "more segments than labels count", "a $segment larger than the vector"};

}  // namespace tutti::inline schedules
