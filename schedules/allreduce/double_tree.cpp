// Allreduce over two binary trees: each half of the vector is summed up in one of the trees, in
// segments. Each sum is sent back down as soon as it is complete. This is NCCL's algorithm "tree"
// with one rank per node. Each rank has a scratch slot for each child.
//
// Source: see patterns/double_tree.hpp.
#include "schedules/patterns/double_tree.hpp"

#include <algorithm>
#include <array>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

bool keeps_order(const Problem& problem) { return problem.ranks <= 1 || problem.ranks % 2 == 0; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const auto trees = tutti::double_tree(problem.ranks, 0);
  const std::uint32_t segments = builder.blocks() / 2;
  const std::size_t edges = std::size_t{problem.ranks - 1} * builder.blocks();
  builder.reserve(3 * edges, 5 * edges);
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
      // Back down: a result overwrites a rank's segment after the rank has sent that segment up.
      for (const RootedTree::Edge& edge : tree.edges) {
        partial[edge.child] = builder.comm({tree.levels + edge.level, block}, edge.parent,
                                           edge.child, {{block, 1}, kWork, kWork},
                                           std::array{partial[edge.parent], sent[edge.child]});
      }
    }
  }
}

}  // namespace

extern const Algorithm double_tree{
    .collective = Collective::allreduce,
    .name = "double_tree",
    .idea = "each half of the vector goes up a binary tree of its own, in segments, and back down",
    .source = "NCCL graph/trees.cc; Sanders, Speck and Träff, Parallel Computing 35(12), 2009",
    .cost = "",
    .keeps_order = keeps_order,
    .order_kept = "p = 1, or an even number of ranks",
    .options = bit(Option::segment),
    .refusal = refuse_double_tree,
    .limits = kDoubleTreeLimits,
    .layout = double_tree_layout,
    .emit = emit,
};

}}}  // namespace tutti::schedules::allreduce
