// Pipelined reduce: partial results go up a chain (or another tree) towards the root in segments;
// every rank combines a segment with its own and passes it on. There is a scratch slot for each
// message in flight. With --cuts open_mpi, receives, reductions and sends follow each other as in
// Open MPI's code.
//
// Source: Open MPI coll/base reduce_generic, reduce_intra_pipeline; [schedule document] ("Pipeline
// with segment size S"), in reverse; Open MPI reduce_intra_chain (whose number of chains is
// --radix), and reduce_intra_knomial of its main branch. Ranks are numbered relative to the root.
// With root 0 the order of ranks is kept if subtrees have consecutive ranks that are combined in
// turn: over chains, over the binomial tree, whose smallest subtree has the next ranks, and over
// knomial_1, the first of MPICH's k-nomial trees.
#include <algorithm>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/segmented_reduction.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

// True if the operations follow each other as in Open MPI's code. False for k-nomial trees, for
// which Open MPI posts all receives at once.
bool follows_open_mpi(const Problem& problem) {
  return problem.cuts == Cuts::open_mpi && problem.tree != Tree::knomial;
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.tree != Tree::chain || (problem.radix > 1 && problem.ranks > 2)) {
    return std::nullopt;
  }
  if (problem.ranks == 1) {
    return 0;
  }
  const SegmentTimes segments(problem, prices);
  if (segments.first_is_shorter) {
    return std::nullopt;
  }
  const double hops_s = (problem.ranks - 1) * (segments.message_s + segments.reduction_s);
  if (segments.count == 1) {
    return hops_s;
  }
  const double last_hop_s = segments.last_message_s + segments.last_reduction_s;
  if (follows_open_mpi(problem) && problem.ranks > 2) {
    // An inner rank of the chain does not combine a segment before it has sent the previous one.
    return segments.message_s +
           (problem.ranks + segments.count - 4) * (segments.message_s + segments.reduction_s) +
           std::max(last_hop_s, segments.reduction_s) + segments.last_reduction_s;
  }
  // The chain is a flow shop in which the segments are equal jobs, except that the last one may be
  // shorter. It ends with the last reduction. This reduction begins when the last message has
  // arrived and the previous reduction is over.
  return hops_s + (segments.count - 2) * std::max(segments.message_s, segments.reduction_s) +
         segments.last_reduction_s + std::max(0.0, segments.last_message_s - segments.reduction_s);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const RootedTree tree = rooted_tree(problem);
  const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
  const bool as_open_mpi = follows_open_mpi(problem);
  builder.reserve(2 * messages, (as_open_mpi ? 4 : 3) * messages);
  SegmentedReduction({.edges = towards_root(tree),
                      .levels = tree.levels,
                      .fan_out = tree.fan_out,
                      .from_children = Operand::right,
                      .as_open_mpi = as_open_mpi},
                     builder);
}

}  // namespace

extern const Algorithm pipeline{
    .collective = Collective::reduce,
    .name = "pipeline",
    .idea = "partial results go up a chain (or another tree) to the root in segments",
    .source = "Open MPI coll/base reduce_intra_pipeline; [schedule document]",
    .cost =
        "(p-1)(A+G) + (S-1) max(A, G) over a chain, with S segments, the last of which may be "
        "shorter, A = alpha + n/S beta and G = n/S gamma; with $cuts open_mpi, (p-1)(A+G) + "
        "(S-1)(A+G) for p > 2",
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

}}}  // namespace tutti::schedules::reduce
