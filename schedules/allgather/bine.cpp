// Bine allgather: the Bine reduce-scatter, run backwards. Partners at distance ..., 11, 5, 3, 1, 1
// exchange what they have, far ones first, in ceil(lg p) steps for any even p.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_allgather.c, allgather_bine_block_by_block_any_even.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) * prices.alpha_s + share * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, 0);
  const std::size_t messages = bine_messages(tree);
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  emit_bine_allgather(rounds, tree);
}

}  // namespace

extern const Algorithm bine{
    .collective = Collective::allgather,
    .name = "bine",
    .idea =
        "the Bine reduce-scatter in reverse: partners at distance ..., 5, 3, 1, 1 exchange all "
        "their blocks",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta",
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
