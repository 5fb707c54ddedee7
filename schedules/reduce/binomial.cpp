// Binomial reduce: at level l each rank whose number relative to the root is an odd multiple of 2^l
// sends its partial result to the rank that is lower by 2^l, which combines it with its own.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005. Ranks are numbered relative to the
// root, so the order of ranks is kept for root 0 only.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) *
         (prices.alpha_s + n * (prices.beta_s_per_byte + prices.gamma_s_per_byte));
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve(2 * std::size_t{problem.ranks - 1}, 6 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  emit_binomial_reduce(rounds, BinomialTree(problem.ranks, problem.root), {0, 1});
}

}  // namespace

extern const Algorithm binomial{
    .collective = Collective::reduce,
    .name = "binomial",
    .idea = "partial results go up the binomial tree to the root",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "ceil(lg p)(alpha + n beta + n gamma)",
    .keeps_order = at_root_0,
    .order_kept = "root 0",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce
