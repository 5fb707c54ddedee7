// Allreduce over a tree, as MPICH runs it: segment by segment, partial results go up to rank 0 and
// the sum goes down again. A rank receives from its children one after the other, and combines each
// child's data before it receives the next child's. It finishes a segment before it begins the next
// one. Unlike in a pipeline, the way down of a segment does not overlap with the way up of the next
// segment, and the leaves wait for the sum of a segment before they send the next one.
//
// Source: MPICH 4.1 to 5.0, src/mpi/coll/allreduce/allreduce_intra_tree.c (in MPICH by default over
// the tree knomial_1 with k = 2, without segments). Receives are blocking, sends are not. MPICH has
// a buffer for each child, but never uses two at once; here there is a single scratch slot.
#include <algorithm>
#include <array>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segmented_tree.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

// Over a chain, messages are sent one at a time.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.tree != Tree::chain || (problem.radix > 1 && problem.ranks > 2)) {
    return std::nullopt;
  }
  const double n = static_cast<double>(problem.bytes);
  const double segments = segment_layout(problem).blocks();
  return (problem.ranks - 1.0) * (2 * (segments * prices.alpha_s + n * prices.beta_s_per_byte) +
                                  n * prices.gamma_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const RootedTree tree = rooted_tree(problem);
  const std::vector<RootedTree::Edge> upwards = towards_root(tree);
  const std::size_t messages = std::size_t{p - 1} * builder.blocks();
  builder.reserve(3 * messages, 5 * messages + messages / 2);
  std::vector<OpId> done(p, kNoOp);  // last receive or reduction of each rank
  std::vector<OpId> sent(p, kNoOp);  // last message of each rank to its parent
  builder.each_segment(builder.blocks(), [&](std::uint32_t segment) {
    const BlockSet block{segment, 1};
    for (const RootedTree::Edge& edge : upwards) {
      const std::uint32_t level = tree.levels - 1 - edge.level;
      sent[edge.child] =
          builder.comm({level, segment * tree.fan_out + edge.child_number}, edge.child, edge.parent,
                       {block, kWork, kScratch}, std::array{done[edge.child], done[edge.parent]});
      done[edge.parent] =
          builder.reduce({level, segment * tree.fan_out + edge.child_number}, edge.parent,
                         {block, kScratch, kWork}, Operand::right, std::array{sent[edge.child]});
    }
    for (const RootedTree::Edge& edge : tree.edges) {
      done[edge.child] =
          builder.comm({tree.levels + edge.level, segment}, edge.parent, edge.child,
                       {block, kWork, kWork}, std::array{done[edge.parent], sent[edge.child]});
    }
  });
}

}  // namespace

extern const Algorithm tree{
    .collective = Collective::allreduce,
    .name = "tree",
    .idea =
        "each segment goes up a chain (or another tree) to rank 0 and down again before the next "
        "one starts",
    .source = "MPICH 4.1 allreduce_intra_tree",
    .cost = "(p-1)(2 S alpha + 2 n beta + n gamma) over a chain, with S segments",
    .keeps_order = tree_keeps_order,
    .order_kept = kTreeOrder,
    .options = bit(Option::segment) | bit(Option::tree) | bit(Option::cuts) | bit(Option::radix),
    .own_numbers = {&kTreeRadix, 1},
    .refusal = refuse_pipeline,
    .limits = kPipelineLimits,
    .layout = segment_layout,
    .exact_s = exact_s,
    .emit = emit,
    .has_alike_rounds = true,
};

}}}  // namespace tutti::schedules::allreduce
