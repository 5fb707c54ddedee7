// Pipelined broadcast: the vector goes down a tree in segments; a rank passes a segment on as soon
// as it has it. The default tree is a chain. Only data edges: the order of ids makes every rank
// send its segments in turn.
//
// Source: [schedule document] ("Pipeline with segment size S": no halves, ceil(M/S) segments, and
// a chain needs N-1 levels); Open MPI coll/base bcast_intra_pipeline.
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segmented_tree.hpp"

namespace tutti::bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.tree != Tree::chain) {
    return std::nullopt;
  }
  if (problem.ranks == 1) {
    return 0;
  }
  const SegmentTimes segments(problem, prices);
  return (problem.ranks - 2 + segments.count - 1) * segments.message_s + segments.last_message_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const RootedTree tree = rooted_tree(problem);
  const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
  builder.reserve(messages, messages);
  std::vector<OpId> arrival(problem.ranks, kNoOp);
  for (std::uint32_t segment = 0; segment < builder.blocks(); ++segment) {
    for (const RootedTree::Edge& edge : tree.edges) {
      arrival[edge.child] =
          builder.comm({edge.level, segment}, edge.parent, edge.child, {{segment, 1}, kWork, kWork},
                       std::array{arrival[edge.parent]});
    }
    arrival[problem.root] = kNoOp;
  }
}

}  // namespace

extern const Algorithm pipeline{
    .collective = Collective::bcast,
    .name = "pipeline",
    .idea = "the vector goes down a chain (or another tree) in segments",
    .source = "Open MPI coll/base bcast_intra_pipeline; [schedule document]",
    .cost =
        "(p-2+S) A over a chain, S segments, A = alpha + n/S beta; the last segment may be shorter",
    .keeps_order = nullptr,
    .options = static_cast<unsigned>(Option::segment) | static_cast<unsigned>(Option::tree) |
               static_cast<unsigned>(Option::cuts),
    .refusal = refuse_pipeline,
    .limits = kPipelineLimits,
    .layout = segment_layout,
    .exact_s = exact_s,
    .emit = emit,
};

}  // namespace tutti::bcast
