// Bine reduction: the Bine broadcast, run backwards, near partners first.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_reduce.c, reduce_bine_lat, for powers of two.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) *
         (prices.alpha_s + n * (prices.beta_s_per_byte + prices.gamma_s_per_byte));
}

bool keeps_order(const Problem& problem) {
  return BineTree(problem.ranks, problem.root).keeps_order();
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, problem.root);
  builder.reserve(2 * std::size_t{problem.ranks - 1}, 6 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  for (const auto& edges : tree.edges()) {
    rounds.next();
    for (const BineTree::Edge& edge : edges) {
      rounds.comm(edge.far, edge.near, {{0, 1}, kWork, kScratch});
      rounds.reduce(edge.near, {{0, 1}, kScratch, kWork},
                    edge.far < edge.near ? Operand::left : Operand::right);
    }
  }
}

}  // namespace

extern const Algorithm bine{
    .collective = Collective::reduce,
    .name = "bine",
    .idea = "the Bine broadcast in reverse: near partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "ceil(lg p) (alpha + n beta + n gamma)",
    .keeps_order = keeps_order,
    .order_kept = "roots whose subtrees all consist of consecutive ranks, such as 0 and 2 of 4",
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce
