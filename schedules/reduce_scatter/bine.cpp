// Bine reduce-scatter: partners at distance 1, 1, 3, 5, 11, ... exchange halves of their blocks,
// near partners first, in ceil(lg p) steps for any even p. Each rank receives the half that it
// keeps. The blocks of a message are not contiguous, and are sent without being packed.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_reduce_scatter.c,
// reduce_scatter_bine_block_by_block_any_even, which sends each block in a message of its own.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return ceil_log2(problem.ranks) * prices.alpha_s +
         share * (prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

bool keeps_order(const Problem& problem) { return problem.ranks <= 4; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const BineTree tree(problem.ranks, 0);
  const std::size_t messages = bine_messages(tree);
  builder.reserve(2 * messages, 5 * messages);
  Rounds rounds(builder);
  emit_bine_reduce_scatter(rounds, tree);
}

}  // namespace

extern const Algorithm bine{
    .collective = Collective::reduce_scatter,
    .name = "bine",
    .idea =
        "partners at distance 1, 1, 3, 5, 11, ..., on alternating sides, send each other the half "
        "of their blocks that the receiver keeps",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "ceil(lg p) alpha + (p-1)/p n (beta + gamma)",
    .keeps_order = keeps_order,
    .order_kept = "p <= 4",
    .options = bit(Option::block_sizes),
    .refusal = refuse_odd_ranks,
    .limits = kOddRanksLimits,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce_scatter
