// Reduce in rank order over a binary tree, in segments. The root of the tree is rank p-1. One of
// its subtrees has the first floor(p/2) ranks, the other one has the ranks from floor(p/2) to p-2,
// and each subtree is built in the same way. A rank first combines the sum of the ranks just below
// it, as the left operand, then the sum of the ranks below those, so the order of ranks is kept for
// any root. At the end rank p-1 sends the result to the root in one message.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce.c, reduce_intra_in_order_binary, and
// coll_base_topo.c, topo_build_in_order_bintree.
#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segmented_reduction.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

constexpr std::uint32_t kFanOut = 2;

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.cuts == Cuts::mpich) {
    return "$cuts mpich does not apply: MPICH has no such tree; leave $cuts out";
  }
  return refuse_segments(problem, kFanOut);
}
constexpr std::array<std::string_view, 3> kLimits{
    "more segments than can be numbered", "a $segment larger than the vector, with $cuts even",
    "$cuts mpich"};

// Appends the edges of the tree over `ranks` ranks from `first` on, in the order in which partial
// results are combined. The last of these ranks is the root of the tree.
void add_edges(Rank first, std::uint32_t ranks, std::uint32_t level,
               std::vector<RootedTree::Edge>& edges) {
  if (ranks <= 1) {
    return;
  }
  const Rank root = first + ranks - 1;
  const std::uint32_t far = ranks == 2 ? 0 : ranks / 2;
  add_edges(first + far, ranks - 1 - far, level + 1, edges);
  edges.push_back({root, root - 1, level, 0});
  if (far > 0) {
    add_edges(first, far, level + 1, edges);
    edges.push_back({root, first + far - 1, level, 1});
  }
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  const std::uint32_t segments = builder.blocks();
  const Rank top = p - 1;
  UpwardTree tree{.edges = {},
                  .fan_out = kFanOut,
                  .from_children = Operand::left,
                  .as_open_mpi = problem.cuts == Cuts::open_mpi};
  tree.edges.reserve(p - 1);
  add_edges(0, p, 0, tree.edges);
  // Deepest edges first, in the order of the messages.
  std::ranges::stable_sort(tree.edges, std::ranges::greater{}, &RootedTree::Edge::level);
  tree.levels = tree.edges.front().level + 1;
  const std::size_t messages = std::size_t{p - 1} * segments;
  const bool goes_on = problem.root != top;
  builder.reserve(2 * messages + (goes_on ? 1 : 0),
                  (tree.as_open_mpi ? 4 : 3) * messages + (goes_on ? 2 * segments : 0));
  const SegmentedReduction reduction(tree, builder);
  if (!goes_on) {
    return;
  }
  // The message to the root depends on all sums, and on everything that the root has sent. If
  // segments are processed one after the other, it is enough to depend on the operations of the
  // last segment.
  std::vector<OpId> before;
  const auto of_root = static_cast<std::size_t>(
      std::ranges::find(tree.edges, problem.root, &RootedTree::Edge::child) - tree.edges.begin());
  for (std::uint32_t segment = tree.as_open_mpi ? segments - 1 : 0; segment < segments; ++segment) {
    before.push_back(reduction.message(segment, of_root));
    before.push_back(reduction.reduction(segment, tree.edges.size() - 1));
  }
  builder.comm({tree.levels}, top, problem.root, {{0, segments}, kWork, kWork}, before);
}

}  // namespace

extern const Algorithm in_order_binary{
    .collective = Collective::reduce,
    .name = "in_order_binary",
    .idea =
        "segments go up a binary tree of consecutive ranks to rank p-1, and the sum to the root",
    .source = "Open MPI coll/base reduce_intra_in_order_binary",
    .cost = "",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::segment) | bit(Option::cuts),
    .refusal = refusal,
    .limits = kLimits,
    .layout = segment_layout,
    .emit = emit,
};

}}}  // namespace tutti::schedules::reduce
