// Nonoverlapping allreduce: a reduction to rank 0 over the binomial tree, and when the reduction is
// complete, a broadcast over the same tree.
//
// Source: Open MPI coll/base allreduce_intra_nonoverlapping, which calls the reduction and the
// broadcast that are selected for the communicator. --parts selects them here.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/composition.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

std::optional<Sentence> refusal(const Problem& problem) { return Composition::refusal(problem); }

BlockLayout layout(const Problem& problem) {
  return problem.parts.standard() ? one_block(problem) : Composition(problem).layout();
}

bool keeps_order(const Problem& problem) { return Composition(problem).keeps_order(); }

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.parts.standard()) {
    return Composition(problem).exact_s(prices);
  }
  const double n = static_cast<double>(problem.bytes);
  const double message_s = prices.alpha_s + n * prices.beta_s_per_byte;
  return ceil_log2(problem.ranks) * (2 * message_s + n * prices.gamma_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  if (!problem.parts.standard()) {
    Composition(problem).emit(builder);
    return;
  }
  const BinomialTree tree(problem.ranks, 0);
  builder.reserve(3 * std::size_t{problem.ranks - 1}, 9 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  emit_binomial_reduce(rounds, tree, {0, 1});
  emit_binomial_bcast(rounds, tree, {0, 1});
}

}  // namespace

extern const Algorithm nonoverlapping{
    .collective = Collective::allreduce,
    .name = "nonoverlapping",
    .idea =
        "reduce to rank 0, then broadcast from it; both over the binomial tree, unless $parts "
        "selects other algorithms",
    .source = "Open MPI coll/base allreduce_intra_nonoverlapping",
    .cost = "ceil(lg p)(2A + G), with A = alpha + n beta and G = n gamma",
    .keeps_order = keeps_order,
    .order_kept = "$parts whose reduction keeps rank order, such as the default",
    .options = bit(Option::parts) | bit(Option::cuts),
    .refusal = refusal,
    .limits = Composition::kLimits,
    .layout = layout,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::allreduce
