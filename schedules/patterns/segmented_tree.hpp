// Trees for pipelined algorithms, and the segments that go through them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/block_layout.hpp"
#include "schedules/op.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti {

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
};

// The tree that problem.tree is, rooted at problem.root: the chain; the binary tree, whose rank r
// has children r + 2^l and r + 2 * 2^l, l its level (0 to 1, 2; 1 to 3, 5; 2 to 4, 6), as Open MPI
// builds it; the binomial tree, whose first message goes to p/2; "doubling", the binomial tree
// whose messages go to 1, 2, 4, ... in turn, so that rank r hears from r without its highest bit
// (Open MPI's bmtree); the k-nomial tree of radix 4, largest subtree first. Ranks count from the
// root.
[[nodiscard]] RootedTree rooted_tree(const Problem& problem);

// --segment, or 64 KiB where it is not given. By Open MPI's cuts that is no segment at all.
[[nodiscard]] std::uint64_t segment_elements_of(const Problem& problem);

// Segments of equal size, the last one shorter where that does not divide.
[[nodiscard]] BlockLayout segment_layout(const Problem& problem);

// For Algorithm::refusal: a segment larger than the vector, more segments than labels can count.
[[nodiscard]] std::optional<Sentence> refuse_pipeline(const Problem& problem);
// The cases of it in words, for Algorithm::limits.
inline constexpr std::array<std::string_view, 3> kPipelineLimits{
    "more segments than labels count",
    "a --segment larger than the vector, but with --cuts open_mpi", "--cuts mpich"};

// What the messages and reductions of one segment take.
struct SegmentTimes {
  SegmentTimes(const Problem& problem, const Prices& prices);
  double count;
  double message_s;
  double reduction_s;
  double last_message_s;  // of the last segment, which may be shorter
  double last_reduction_s;
};

}  // namespace tutti
