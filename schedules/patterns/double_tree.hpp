// Two binary trees over all ranks, one for each half of the vector: an inner node of one tree is a
// leaf of the other. Each half travels in segments, so that no rank sends more than it receives.
//
// Tree 1: a rank whose lowest set bit is 2^b, b > 0, has one child 2^(b-1) below it and one 2^(b-1)
// above it. If there is no such rank above it, the distance is halved until there is one. Rank 0 is
// the root. Tree 2 is the mirror image of tree 1 if the number of ranks is even, and tree 1 shifted
// by one rank if the number is odd. With an odd number, one rank may be an inner node of both
// trees. Ranks are numbered relative to the root.
//
// Source: NCCL, src/graph/trees.cc, ncclGetBtree and ncclGetDtree (NCCL builds the trees over
// nodes); UCC, where this pair of trees is called dbt; Sanders, Speck and Träff, "Two-tree
// algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35(12), 2009.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/sentence.hpp"
#include "schedules/block_layout.hpp"
#include "schedules/patterns/segmented_tree.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// Returns both trees. The first child of a rank is the child with the lower number in tree 1.
[[nodiscard]] std::array<RootedTree, 2> double_tree(std::uint32_t ranks, Rank root);
// Returns the root of the tree, which is the only rank without a parent; `if_alone` if the tree has
// no edges.
[[nodiscard]] Rank root_of(const RootedTree& tree, Rank if_alone);

// Cuts the first half into segments of --segment bytes (default 64 KiB), and the second half into
// the same number of segments. The last segments of each half may be shorter, or empty.
[[nodiscard]] BlockLayout double_tree_layout(const Problem& problem);

// Implements Algorithm::refusal.
[[nodiscard]] std::optional<Sentence> refuse_double_tree(const Problem& problem);
inline constexpr std::array<std::string_view, 2> kDoubleTreeLimits{
    "more segments than can be numbered", "a $segment larger than the vector"};

}}  // namespace tutti::schedules
