// Trees for pipelined algorithms, and the segments that go through them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/block_layout.hpp"
#include "schedules/defaulted_number.hpp"
#include "schedules/op.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti::inline schedules {

// A tree over all ranks. Edges come in breadth-first order, so a parent's own edge comes first.
struct RootedTree {
  struct Edge {
    Rank parent;
    Rank child;
    std::uint32_t level;         // of the parent; the root has level 0
    std::uint32_t child_number;  // among its parent's children
  };
  std::vector<Edge> edges;
  std::uint32_t levels = 0;   // of edges
  std::uint32_t fan_out = 1;  // most children of a rank
  // Whether partial results are combined in the order in which children stand; else the other way
  // round, since largest subtrees stand first, and hold the highest ranks.
  bool children_in_order = false;
};

// The tree that problem.tree is, rooted at problem.root, k being problem.radix: k chains of
// consecutive ranks, the first ones a rank longer where k does not divide p-1 (k = 1 unless it is
// given); the binary tree, whose rank r has children r + 2^l and r + 2 * 2^l, l its level (0 to 1,
// 2; 1 to 3, 5; 2 to 4, 6), as Open MPI builds it; the binomial tree, whose first message goes to
// p/2; "doubling", the binomial tree whose messages go to 1, 2, 4, ... in turn, so that rank r
// hears from r without its highest bit (Open MPI's bmtree); the k-nomial tree, in which rank r
// hears from r without its lowest digit to base k that is not 0, far ones first (Open MPI's kmtree,
// k = 4 unless it is given). MPICH's three, all with k = 2 unless it is given: the k-ary tree,
// whose rank r has children k r + 1, ..., k r + k; "knomial_1", the k-nomial tree numbered depth
// first, so that a subtree has consecutive ranks; "knomial_2", the k-nomial tree whose children are
// served in falling order. Ranks count from the root.
[[nodiscard]] RootedTree rooted_tree(const Problem& problem);

// Its edges in the order in which partial results go over them: those to leaves first, those to the
// same parent in the order in which it combines.
[[nodiscard]] std::vector<RootedTree::Edge> towards_root(const RootedTree& tree);

// The k of that tree where nobody says any; 2 where it has none.
[[nodiscard]] std::uint32_t own_tree_radix(const Problem& problem);
inline constexpr DefaultedNumber kTreeRadix{
    .option = Option::radix,
    .member = &Problem::radix,
    .by_problem = own_tree_radix,
    .by_problem_in_words = "1 with $tree chain, 4 with knomial, else 2"};

// For Algorithm::keeps_order: whether the order of ranks is kept from root 0, and in words, for
// Algorithm::order_kept.
[[nodiscard]] bool tree_keeps_order(const Problem& problem);
inline constexpr std::string_view kTreeOrder =
    "root 0 with $tree chain, binomial or knomial_1, with p = 2, or where the root has all others "
    "for children of $tree binary, kary or knomial";

// --segment, or 64 KiB where it is not given. By the cuts of libraries that is no segment at all.
[[nodiscard]] std::uint64_t segment_elements_of(const Problem& problem);

// Segments of equal size, the last one shorter where that does not divide; by MPICH's cuts the
// first one.
[[nodiscard]] BlockLayout segment_layout(const Problem& problem);

// For Algorithm::refusal: a --radix that the tree does not take.
[[nodiscard]] std::optional<Sentence> refuse_radix(const Problem& problem);
// A segment larger than the vector, more segments than labels can count where a rank has
// `fan_out` labels for each.
[[nodiscard]] std::optional<Sentence> refuse_segments(const Problem& problem,
                                                      std::uint64_t fan_out);
// All of these.
[[nodiscard]] std::optional<Sentence> refuse_pipeline(const Problem& problem);
// The cases of it in words, for Algorithm::limits.
inline constexpr std::array<std::string_view, 4> kPipelineLimits{
    "more segments than labels count", "a $segment larger than the vector, with $cuts even",
    "$radix with $tree binary, binomial or doubling", "$radix 1 with a k-nomial $tree"};

// What the messages and reductions of one segment take.
struct SegmentTimes {
  SegmentTimes(const Problem& problem, const Prices& prices);
  double count;
  double message_s;
  double reduction_s;
  double last_message_s;  // of the last segment, which may be shorter
  double last_reduction_s;
  bool first_is_shorter;  // in place of the last one
};

}  // namespace tutti::inline schedules
