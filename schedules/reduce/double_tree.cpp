// Reduction over two binary trees: partial sums of each half of the vector go up one of the trees
// in segments. The root of the reduction is the root of the first tree, and receives the second
// half from the root of the second tree. Each rank has a scratch slot for each child.
//
// Source: see patterns/double_tree.hpp.
#include "schedules/patterns/double_tree.hpp"

#include <algorithm>
#include <array>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

// True if both trees combine the ranks in the order of their numbers. With an even p, the root must
// be rank 0, so that no tree is shifted. With an odd p it must be rank p-1: this shifts the first
// tree back by one, and the second tree not at all.
bool keeps_order(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  return p == 2 || problem.root == (p % 2 == 0 ? 0 : p - 1);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const Rank root = problem.root;
  const auto trees = tutti::double_tree(problem.ranks, root);
  const std::uint32_t segments = builder.blocks() / 2;
  const std::size_t edges = std::size_t{problem.ranks - 1} * builder.blocks();
  const std::size_t handed_over = problem.ranks > 1 ? segments : 0;
  builder.reserve(2 * edges + handed_over, 3 * edges + 2 * handed_over);
  std::vector<OpId> partial(problem.ranks);
  std::vector<OpId> sent(problem.ranks, kNoOp);
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    for (const std::uint32_t half : {0U, 1U}) {
      const RootedTree& tree = trees[half];
      const std::uint32_t block = half * segments + segment;
      std::fill(partial.begin(), partial.end(), kNoOp);
      for (auto edge = tree.edges.rbegin(); edge != tree.edges.rend(); ++edge) {
        const std::uint32_t level = tree.levels - 1 - edge->level;
        const Place slot{Buffer::scratch, edge->child_number};
        const OpId arrival =
            builder.comm({level, block}, edge->child, edge->parent, {{block, 1}, kWork, slot},
                         std::array{partial[edge->child]});
        sent[edge->child] = arrival;
        partial[edge->parent] = builder.reduce(
            {level, 2 * block + edge->child_number}, edge->parent, {{block, 1}, slot, kWork},
            edge->child < edge->parent ? Operand::left : Operand::right,
            std::array{arrival, partial[edge->parent]});
      }
      // The root is also a rank of the second tree: it must have sent its own part before the
      // result overwrites that part.
      if (const Rank top = root_of(tree, root); top != root) {
        builder.comm({tree.levels, block}, top, root, {{block, 1}, kWork, kWork},
                     std::array{partial[top], sent[root]});
      }
    }
  }
}

}  // namespace

extern const Algorithm double_tree{
    .collective = Collective::reduce,
    .name = "double_tree",
    .idea = "partial sums of each half of the vector go up a binary tree of their own, in segments",
    .source = "NCCL graph/trees.cc; Sanders, Speck and Träff, Parallel Computing 35(12), 2009",
    .cost = "",
    .keeps_order = keeps_order,
    .order_kept = "root 0 of an even number of ranks, root p-1 of an odd one, or p = 2",
    .options = bit(Option::segment),
    .refusal = refuse_double_tree,
    .limits = kDoubleTreeLimits,
    .layout = double_tree_layout,
    .emit = emit,
};

}}}  // namespace tutti::schedules::reduce
