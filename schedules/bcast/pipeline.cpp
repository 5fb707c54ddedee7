// Pipelined broadcast: the vector goes down a tree in segments; a rank forwards each segment as
// soon as it has received the segment. The default tree is a chain. All dependencies are data
// dependencies; every rank sends its segments in turn because operations with lower ids go first.
// With --cuts open_mpi, a rank waits until all its children have a segment before it sends the next
// one, and posts the receive of segment s after it has sent segment s - 2. So at most two receives
// are posted at a time, and only one during a send.
//
// Source: Open MPI coll/base bcast_intra_generic; [schedule document] ("Pipeline with segment size
// S", corrected: the vector of M bytes is not halved, there are ceil(M/S) segments, and a chain of
// N ranks has N-1 levels); Open MPI coll/base bcast_intra_pipeline, bcast_intra_chain (whose number
// of chains is --radix), bcast_intra_knomial; MPICH bcast_intra_pipelined_tree.
#include <algorithm>
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segmented_tree.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

// The root has one port for all chains, and serves them in turn, segment by segment.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.tree != Tree::chain) {
    return std::nullopt;
  }
  if (problem.ranks == 1) {
    return 0;
  }
  const SegmentTimes segments(problem, prices);
  if (segments.first_is_shorter) {
    return std::nullopt;
  }
  const double message_s = segments.message_s;
  const double last_s = segments.last_message_s;
  const std::uint32_t others = problem.ranks - 1;
  const std::uint32_t chains = std::min(kTreeRadix.of(problem), others);
  double end_s = 0;
  for (std::uint32_t chain = 0; chain < chains; ++chain) {
    // The last segment travels down the chain, and may have to wait for the segment before it.
    const std::uint32_t ranks = others / chains + (chain < others % chains ? 1 : 0);
    const double hops = ranks - 1.0;
    const double arrival_s = (segments.count - 1) * chains * message_s + (chain + 1) * last_s;
    end_s = std::max(end_s, arrival_s + hops * last_s);
    if (segments.count > 1 && hops > 0) {
      const double before_s = ((segments.count - 2) * chains + chain + 1) * message_s;
      end_s = std::max(end_s, before_s + hops * message_s + last_s);
    }
  }
  return end_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const RootedTree tree = rooted_tree(problem);
  const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
  const bool as_open_mpi = problem.cuts == Cuts::open_mpi && builder.blocks() > 1;
  builder.reserve(messages, (as_open_mpi ? 4 : 1) * messages);
  // The range of edges in tree.edges that lead to the children of a rank; these edges are adjacent.
  struct Edges {
    OpId first = 0;
    OpId end = 0;
  };
  std::vector<Edges> below(problem.ranks);
  for (OpId at = 0; at < tree.edges.size(); ++at) {
    Edges& edges = below[tree.edges[at].parent];
    edges = {edges.end == 0 ? at : edges.first, at + 1};
  }
  const auto messages_of_segment = static_cast<OpId>(tree.edges.size());
  std::vector<OpId> arrival(problem.ranks, kNoOp);
  std::vector<OpId> after;
  const auto add_sends = [&](Rank rank, OpId first_of_segment) {
    for (OpId edge = below[rank].first; edge < below[rank].end; ++edge) {
      after.push_back(first_of_segment + edge);
    }
  };
  builder.each_segment(builder.blocks(), [&](std::uint32_t segment) {
    const OpId first = builder.size();
    for (const RootedTree::Edge& edge : tree.edges) {
      after.assign(1, arrival[edge.parent]);
      if (as_open_mpi && segment >= 1) {
        add_sends(edge.parent, first - messages_of_segment);
      }
      if (as_open_mpi && segment >= 2) {
        add_sends(edge.child, first - 2 * messages_of_segment);
      }
      arrival[edge.child] = builder.comm({edge.level, segment}, edge.parent, edge.child,
                                         {{segment, 1}, kWork, kWork}, after);
    }
    arrival[problem.root] = kNoOp;
  });
}

}  // namespace

extern const Algorithm pipeline{
    .collective = Collective::bcast,
    .name = "pipeline",
    .idea = "the vector goes down a chain (or another tree) in segments",
    .source = "Open MPI coll/base bcast_intra_pipeline; [schedule document]",
    .cost =
        "(p-2+S) A over a chain, with S segments, the last of which may be shorter, and A = alpha "
        "+ n/S beta; with $radix F (F chains), at most (F S + ceil((p-1)/F) - 1) A",
    .options = bit(Option::segment) | bit(Option::tree) | bit(Option::cuts) | bit(Option::radix),
    .own_numbers = {&kTreeRadix, 1},
    .refusal = refuse_pipeline,
    .limits = kPipelineLimits,
    .layout = segment_layout,
    .exact_s = exact_s,
    .emit = emit,
    .has_alike_rounds = true,
};

}}}  // namespace tutti::schedules::bcast
