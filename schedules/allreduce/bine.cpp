// Bine allreduce for long vectors: the Bine reduce-scatter, near partners first, and the Bine
// allgather, far partners first, for any even p. The algorithm Swing uses the same butterfly on a
// ring.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_allreduce.c, allreduce_bine_bdw_static and
// allreduce_bine_block_by_block_any_even; De Sensi et al., "Swing: Short-cutting Rings for Higher
// Bandwidth Allreduce", NSDI'24.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return 2 * ceil_log2(problem.ranks) * prices.alpha_s +
         share * (2 * prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

bool keeps_order(const Problem& problem) { return problem.ranks <= 4; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, 0);
  const std::size_t messages = bine_messages(tree);
  builder.reserve(3 * messages, 9 * messages);
  Rounds rounds(builder);
  emit_bine_reduce_scatter(rounds, tree);
  emit_bine_allgather(rounds, tree);
}

}  // namespace

extern const Algorithm bine{
    .collective = Collective::allreduce,
    .name = "bine",
    .idea =
        "Bine reduce-scatter with partners at distance 1, 1, 3, 5, 11, ..., then the reverse as an "
        "allgather",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311; Swing, NSDI'24",
    .cost = "2 ceil(lg p) alpha + 2(p-1)/p n beta + (p-1)/p n gamma",
    .keeps_order = keeps_order,
    .order_kept = "p <= 4",
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
