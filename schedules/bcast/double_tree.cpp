// Broadcast over two binary trees: each half of the vector goes down one of the trees in segments.
// The root of the broadcast is the root of the first tree, and sends the second half to the root of
// the second tree. In the second tree nothing is sent to the root of the broadcast. All
// dependencies are data dependencies; every rank sends its segments in turn because operations with
// lower ids go first.
//
// Source: see patterns/double_tree.hpp.
#include "schedules/patterns/double_tree.hpp"

#include <algorithm>
#include <array>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const Rank root = problem.root;
  const auto trees = tutti::double_tree(problem.ranks, root);
  const std::uint32_t segments = builder.blocks() / 2;
  const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
  builder.reserve(messages, messages);
  std::vector<OpId> arrival(problem.ranks, kNoOp);
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    for (const std::uint32_t half : {0U, 1U}) {
      const std::uint32_t block = half * segments + segment;
      const Move move{{block, 1}, kWork, kWork};
      if (const Rank top = root_of(trees[half], root); top != root) {
        arrival[top] = builder.comm({0, block}, root, top, move, {});
      }
      for (const RootedTree::Edge& edge : trees[half].edges) {
        if (edge.child != root) {
          arrival[edge.child] = builder.comm({edge.level + half, block}, edge.parent, edge.child,
                                             move, std::array{arrival[edge.parent]});
        }
      }
      arrival[root] = kNoOp;
    }
  }
}

}  // namespace

extern const Algorithm double_tree{
    .collective = Collective::bcast,
    .name = "double_tree",
    .idea =
        "each half of the vector goes down a binary tree of its own, in segments; at most one rank "
        "forwards both halves",
    .source = "NCCL graph/trees.cc; Sanders, Speck and Träff, Parallel Computing 35(12), 2009",
    .cost = "",
    .options = bit(Option::segment),
    .refusal = refuse_double_tree,
    .limits = kDoubleTreeLimits,
    .layout = double_tree_layout,
    .emit = emit,
};

}}}  // namespace tutti::schedules::bcast
