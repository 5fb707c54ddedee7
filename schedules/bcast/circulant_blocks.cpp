// Round-optimal broadcast of S blocks on a circulant graph. In every round every rank sends a block
// to the rank one skip ahead; the ceil(lg p) skips take turns. Each rank gets a new block in each
// round after its first one. The algorithm works for any p.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time", arXiv 2407.18004; MPICH 5
// (main), where the algorithm is called circ_graph, src/mpi/coll/bcast/bcast_intra_circ_graph.c;
// --segment corresponds to MPICH's chunk size.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/circulant_pipeline.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double blocks = circulant_pipeline_layout(problem).blocks();
  const double rounds = problem.ranks == 1 ? 0 : blocks - 1 + ceil_log2(problem.ranks);
  return rounds *
         (prices.alpha_s + static_cast<double>(problem.bytes) / blocks * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const CirculantPipeline pipeline(problem.ranks, builder.blocks());
  const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  emit_circulant_bcast(rounds, pipeline, problem.root);
}

}  // namespace

extern const Algorithm circulant_blocks{
    .collective = Collective::bcast,
    .name = "circulant_blocks",
    .idea =
        "S blocks over ceil(lg p) skips in turn; each rank receives a new block in each round, so "
        "the number of rounds is optimal",
    .source =
        "Träff, Optimal Broadcast Schedules in Logarithmic Time, arXiv 2407.18004; MPICH 5 "
        "circ_graph",
    .cost =
        "(S-1+q)(alpha + n/S beta), with q = ceil(lg p) and S blocks of $segment bytes (default: S "
        "= sqrt(n (q-1) / 2500))",
    .options = bit(Option::segment),
    .refusal = refuse_circulant_pipeline,
    .limits = kCirculantPipelineLimits,
    .layout = circulant_pipeline_layout,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::bcast
