// Trees for pipelined algorithms, and the segments that travel through them.
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

namespace tutti { inline namespace schedules {

// A tree over all ranks. Edges are in breadth-first order, so the edge to a parent comes before the
// edges to its children.
struct RootedTree {
  struct Edge {
    Rank parent;
    Rank child;
    std::uint32_t level;         // level of the parent; the root has level 0
    std::uint32_t child_number;  // index of the child among its parent's children
  };
  std::vector<Edge> edges;
  std::uint32_t levels = 0;   // number of levels of edges
  std::uint32_t fan_out = 1;  // largest number of children of a rank
  // True if partial results are combined in the order of the children. If false, they are combined
  // in reverse order, because the largest subtrees come first and hold the highest ranks.
  bool children_in_order = false;
};

// Returns the tree that problem.tree names, rooted at problem.root. k is problem.radix. Ranks are
// numbered relative to the root.
//   chain      k chains of consecutive ranks; if k does not divide p-1, the first chains have one
//              rank more. k is 1 by default.
//   binary     as Open MPI builds it: rank r of level l has the children r + 2^l and r + 2 * 2^l
//              (0 has the children 1 and 2, 1 has 3 and 5, 2 has 4 and 6)
//   binomial   the child with the largest subtree is served first
//   doubling   the binomial tree whose messages go to 1, 2, 4, ... in turn, so that rank r receives
//              from r without its highest bit (Open MPI's bmtree)
//   knomial    rank r receives from r without its lowest nonzero digit in base k; far children are
//              served first (Open MPI's kmtree). k is 4 by default.
//   kary, knomial_1, knomial_2 (MPICH; k is 2 by default):
//   kary       rank r has the children k r + 1, ..., k r + k
//   knomial_1  the k-nomial tree numbered depth first, so that a subtree has consecutive ranks
//   knomial_2  the k-nomial tree whose children are served in descending order
[[nodiscard]] RootedTree rooted_tree(const Problem& problem);

// Returns the edges in the order in which partial results travel over them: edges to leaves come
// first, and edges to the same parent are in the order in which the parent combines its children's
// results.
[[nodiscard]] std::vector<RootedTree::Edge> towards_root(const RootedTree& tree);

// Default k of problem.tree; 2 if the tree has no k.
[[nodiscard]] std::uint32_t own_tree_radix(const Problem& problem);
inline constexpr DefaultedNumber kTreeRadix{
    .option = Option::radix,
    .member = &Problem::radix,
    .by_problem = own_tree_radix,
    .by_problem_in_words = "1 with $tree chain, 4 with knomial, else 2"};

// Implements Algorithm::keeps_order: some trees keep the rank order if the root is rank 0.
// kTreeOrder describes these trees, for Algorithm::order_kept.
[[nodiscard]] bool tree_keeps_order(const Problem& problem);
inline constexpr std::string_view kTreeOrder =
    "root 0, if $tree is chain, binomial or knomial_1, if p = 2, or if all other ranks are "
    "children of the root in $tree binary, kary or knomial";

// Returns the number of elements in a segment, whose size is --segment, or 64 KiB by default. With
// the cuts of a library, the default is a single segment.
[[nodiscard]] std::uint64_t segment_elements_of(const Problem& problem);

// Cuts segments of equal size. If they do not fill the vector evenly, the last one is shorter; with
// MPICH's cuts, the first one is shorter.
[[nodiscard]] BlockLayout segment_layout(const Problem& problem);

// Implements Algorithm::refusal for a --radix that the tree cannot have.
[[nodiscard]] std::optional<Sentence> refuse_radix(const Problem& problem);
// Refuses a segment that is larger than the vector. Also refuses a number of segments that is too
// large for the labels, of which a rank needs `fan_out` for each segment.
[[nodiscard]] std::optional<Sentence> refuse_segments(const Problem& problem,
                                                      std::uint64_t fan_out);
// Refuses a problem if refuse_radix() or refuse_segments() does.
[[nodiscard]] std::optional<Sentence> refuse_pipeline(const Problem& problem);
// The cases of refuse_pipeline() in words, for Algorithm::limits.
inline constexpr std::array<std::string_view, 4> kPipelineLimits{
    "more segments than can be numbered", "a $segment larger than the vector, with $cuts even",
    "$radix with $tree binary, binomial or doubling", "$radix 1 with a k-nomial $tree"};

// Times of the messages and reductions of one segment.
struct SegmentTimes {
  SegmentTimes(const Problem& problem, const Prices& prices);
  double count;  // number of segments
  double message_s;
  double reduction_s;
  double last_message_s;  // the last segment may be shorter
  double last_reduction_s;
  bool first_is_shorter;  // true if the first segment is shorter than the last one
};

}}  // namespace tutti::schedules
