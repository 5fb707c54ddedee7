// Nonoverlapping reduce-scatter: a reduction to rank 0 over the binomial tree, and when all of it
// is done, a scatter over the same tree.
//
// Source: Open MPI coll/base reduce_scatter_intra_nonoverlapping (reduce, then scatterv).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  const double levels = ceil_log2(problem.ranks);
  return levels * (2 * prices.alpha_s + n * prices.beta_s_per_byte + n * prices.gamma_s_per_byte) +
         (p - 1) / p * n * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve(3 * std::size_t{problem.ranks - 1}, 9 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  const BinomialTree tree(problem.ranks, 0);
  emit_binomial_reduce(rounds, tree, {0, problem.ranks});
  emit_binomial_scatter(rounds, tree);
}

}  // namespace

extern const Algorithm nonoverlapping{
    .collective = Collective::reduce_scatter,
    .name = "nonoverlapping",
    .idea = "reduce to rank 0 over the binomial tree, then scatter over it",
    .source = "Open MPI coll/base reduce_scatter_intra_nonoverlapping",
    .cost = "ceil(lg p)(2 alpha + n beta + n gamma) + (p-1)/p n beta",
    .keeps_order = always,
    .options = static_cast<unsigned>(Option::block_sizes),
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
};

}  // namespace tutti::reduce_scatter
