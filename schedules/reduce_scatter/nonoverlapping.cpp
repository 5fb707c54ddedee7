// Nonoverlapping reduce-scatter: a reduction to rank 0 over the binomial tree, and when the
// reduction is complete, a scatter over the same tree.
//
// Source: Open MPI coll/base reduce_scatter_intra_nonoverlapping, which calls the reduction and the
// scatter that are selected for the communicator (in Open MPI, the scatter is linear). Here,
// --parts selects both. Blocks of unequal size are supported only without --parts.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/composition.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<Sentence> refusal(const Problem& problem) {
  if (!problem.parts.standard() && !problem.block_bytes.empty()) {
    return "$parts splits the vector evenly; leave out the block sizes";
  }
  return Composition::refusal(problem);
}

constexpr std::array<std::string_view, 3> kLimits{Composition::kLimits[0], Composition::kLimits[1],
                                                  "$parts with individual block sizes"};

BlockLayout layout(const Problem& problem) {
  return problem.parts.standard() ? block_per_rank(problem) : Composition(problem).layout();
}

bool keeps_order(const Problem& problem) { return Composition(problem).keeps_order(); }

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.parts.standard()) {
    return Composition(problem).exact_s(prices);
  }
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
  if (!problem.parts.standard()) {
    Composition(problem).emit(builder);
    return;
  }
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
    .idea =
        "reduce to rank 0, then scatter from it; both over the binomial tree, unless $parts "
        "selects other algorithms",
    .source = "Open MPI coll/base reduce_scatter_intra_nonoverlapping",
    .cost = "ceil(lg p)(2 alpha + n beta + n gamma) + (p-1)/p n beta",
    .keeps_order = keeps_order,
    .order_kept = "$parts whose reduction keeps rank order, such as the default",
    .options = bit(Option::block_sizes) | bit(Option::parts) | bit(Option::cuts),
    .refusal = refusal,
    .limits = kLimits,
    .layout = layout,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::reduce_scatter
