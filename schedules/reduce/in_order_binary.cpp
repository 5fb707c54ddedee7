// Reduce in rank order over a binary tree, in segments: its root is rank p-1, whose one subtree is
// the first floor(p/2) ranks, and whose other one the ranks between; each subtree is made likewise.
// A rank takes the ranks just below it on its left, then those below these: the order of ranks is
// kept whatever the root. In the end rank p-1 sends the result to the root, uncut.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce.c, reduce_intra_in_order_binary, and
// coll_base_topo.c, topo_build_in_order_bintree.
#include <algorithm>
#include <array>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segmented_tree.hpp"

namespace tutti::reduce {

namespace {

constexpr std::uint32_t kFanOut = 2;

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.cuts == Cuts::mpich) {
    return "MPICH has no such tree, so there is no cut of its own";
  }
  return refuse_segments(problem, kFanOut);
}
constexpr std::array<std::string_view, 3> kLimits{
    "more segments than labels count", "a --segment larger than the vector, with --cuts even",
    "--cuts mpich"};

struct Edge {
  Rank child;
  Rank parent;
  std::uint32_t level;   // of the parent; the root of the tree has level 0
  std::uint32_t number;  // 0: the ranks just below the parent; 1: those below these
};

// Those of the tree of the ranks from `first` on, whose root is the last one; what is combined
// first comes first.
void add_edges(Rank first, std::uint32_t ranks, std::uint32_t level, std::vector<Edge>& edges) {
  if (ranks <= 1) {
    return;
  }
  const Rank root = first + ranks - 1;
  const std::uint32_t far = ranks == 2 ? 0 : ranks / 2;
  add_edges(first + far, ranks - 1 - far, level + 1, edges);
  edges.push_back({root - 1, root, level, 0});
  if (far > 0) {
    add_edges(first, far, level + 1, edges);
    edges.push_back({first + far - 1, root, level, 1});
  }
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  const std::uint32_t segments = builder.blocks();
  const Rank top = p - 1;
  std::vector<Edge> edges;
  edges.reserve(p - 1);
  add_edges(0, p, 0, edges);
  std::uint32_t levels = 0;
  for (const Edge& edge : edges) {
    levels = std::max(levels, edge.level + 1);
  }
  // Deepest first, as the messages go.
  std::stable_sort(edges.begin(), edges.end(),
                   [](const Edge& a, const Edge& b) { return a.level > b.level; });
  const std::size_t messages = std::size_t{p - 1} * segments;
  const bool goes_on = problem.root != top;
  builder.reserve(2 * messages + (goes_on ? 1 : 0), 3 * messages + (goes_on ? 2 * segments : 0));
  std::vector<OpId> partial(p);
  std::vector<OpId> last;  // what the message to the root comes after
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    std::fill(partial.begin(), partial.end(), kNoOp);
    for (const Edge& edge : edges) {
      const std::uint32_t level = levels - 1 - edge.level;
      const Place slot{Buffer::scratch, edge.number};
      const OpId arrival =
          builder.comm({level, segment}, edge.child, edge.parent, {{segment, 1}, kWork, slot},
                       std::array{partial[edge.child]});
      if (edge.child == problem.root) {
        last.push_back(arrival);
      }
      partial[edge.parent] = builder.reduce({level, kFanOut * segment + edge.number}, edge.parent,
                                            {{segment, 1}, slot, kWork}, Operand::left,
                                            std::array{arrival, partial[edge.parent]});
    }
    last.push_back(partial[top]);
  }
  if (goes_on) {
    builder.comm({levels}, top, problem.root, {{0, segments}, kWork, kWork}, last);
  }
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
    .options = static_cast<unsigned>(Option::segment) | static_cast<unsigned>(Option::cuts),
    .refusal = refusal,
    .limits = kLimits,
    .layout = segment_layout,
    .emit = emit,
};

}  // namespace tutti::reduce
