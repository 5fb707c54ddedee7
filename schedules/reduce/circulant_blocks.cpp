// Round-optimal reduction of S blocks on a circulant graph: the messages of bcast/circulant_blocks,
// sent in reverse. In every round a rank combines a received block with its own, and sends another
// block on. The algorithm works for any p.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time", arXiv 2407.18004; MPICH 5
// (main), where the algorithm is called circ_graph, src/mpi/coll/reduce/reduce_intra_circ_graph.c;
// --segment corresponds to MPICH's chunk size.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/circulant_pipeline.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double blocks = circulant_pipeline_layout(problem).blocks();
  const double rounds = problem.ranks == 1 ? 0 : blocks - 1 + ceil_log2(problem.ranks);
  return rounds * (prices.alpha_s + static_cast<double>(problem.bytes) / blocks *
                                        (prices.beta_s_per_byte + prices.gamma_s_per_byte));
}

// With three ranks, the order of operands is kept only if the root is rank 2, which receives from
// ranks 0 and 1 one after the other, or rank 1 with a single block.
bool keeps_order(const Problem& problem) {
  if (problem.ranks != 3) {
    return problem.ranks < 3;
  }
  return problem.root == 2 ||
         (problem.root == 1 && circulant_pipeline_layout(problem).blocks() == 1);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const CirculantPipeline pipeline(problem.ranks, builder.blocks());
  const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
  builder.reserve(2 * messages, 5 * messages);
  Rounds rounds(builder);
  emit_circulant_reduce(rounds, pipeline, problem.root);
}

}  // namespace

extern const Algorithm circulant_blocks{
    .collective = Collective::reduce,
    .name = "circulant_blocks",
    .idea =
        "the broadcast of S blocks over ceil(lg p) skips in reverse, with the optimal number of "
        "rounds",
    .source =
        "Träff, Optimal Broadcast Schedules in Logarithmic Time, arXiv 2407.18004; MPICH 5 "
        "circ_graph",
    .cost =
        "(S-1+q)(alpha + n/S beta + n/S gamma), with q = ceil(lg p) and S blocks of $segment bytes "
        "(default: S = sqrt(n (q-1) / 2500))",
    .keeps_order = keeps_order,
    .order_kept = "p <= 2, or p = 3 with root 2, or with root 1 and one block",
    .options = bit(Option::segment),
    .refusal = refuse_circulant_pipeline,
    .limits = kCirculantPipelineLimits,
    .layout = circulant_pipeline_layout,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::reduce
