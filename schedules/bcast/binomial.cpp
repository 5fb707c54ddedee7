// Binomial broadcast: at level l the ranks that hold the vector send it on over the distance
// 2^(L-l-1), where L = ceil(lg p). Ranks are numbered relative to the root.
//
// Source: [schedule document] ("Binomial tree"), with a condition that the document leaves out:
// only ranks that are multiples of 2^(L-l) hold the data at level l and may send.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) * (prices.alpha_s + n * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve(problem.ranks - 1, 4 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  emit_binomial_bcast(rounds, BinomialTree(problem.ranks, problem.root), {0, 1});
}

}  // namespace

extern const Algorithm binomial{
    .collective = Collective::bcast,
    .name = "binomial",
    .idea = "ranks that have the vector send it on over distance p/2, p/4, ..., 1",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; [schedule document]",
    .cost = "ceil(lg p)(alpha + n beta)",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::bcast
