// Allreduce of S blocks on a circulant graph: the round-optimal reduction to rank 0, then the
// round-optimal broadcast from it. The algorithm works for any p.
//
// Source: Träff, "Optimal Broadcast Schedules in Logarithmic Time", arXiv 2407.18004: its
// reduction, then its broadcast; proposed for MPICH 5 as circ_graph
// (github.com/pmodels/mpich/pull/7748).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/circulant_pipeline.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double blocks = circulant_pipeline_layout(problem).blocks();
  const double rounds = problem.ranks == 1 ? 0 : blocks - 1 + ceil_log2(problem.ranks);
  const double block_bytes = static_cast<double>(problem.bytes) / blocks;
  return rounds * (2 * (prices.alpha_s + block_bytes * prices.beta_s_per_byte) +
                   block_bytes * prices.gamma_s_per_byte);
}

bool keeps_order(const Problem& problem) { return problem.ranks <= 2; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const CirculantPipeline pipeline(problem.ranks, builder.blocks());
  const std::size_t messages = std::size_t{problem.ranks - 1} * builder.blocks();
  builder.reserve(3 * messages, 9 * messages);
  Rounds rounds(builder);
  emit_circulant_reduce(rounds, pipeline, 0);
  emit_circulant_bcast(rounds, pipeline, 0);
}

}  // namespace

extern const Algorithm circulant_blocks{
    .collective = Collective::allreduce,
    .name = "circulant_blocks",
    .idea =
        "S blocks over ceil(lg p) skips in turn: a reduction to rank 0, then a broadcast from it",
    .source = "Träff, Optimal Broadcast Schedules in Logarithmic Time, arXiv 2407.18004",
    .cost =
        "(S-1+q)(2A + n/S gamma), with A = alpha + n/S beta, q = ceil(lg p) and S blocks of "
        "$segment bytes (default: S = sqrt(n (q-1) / 2500))",
    .keeps_order = keeps_order,
    .order_kept = "p <= 2",
    .options = bit(Option::segment),
    .refusal = refuse_circulant_pipeline,
    .limits = kCirculantPipelineLimits,
    .layout = circulant_pipeline_layout,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::allreduce
