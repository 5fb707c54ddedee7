// Reduce-scatter in two steps: a reduction to rank 0 over the binomial tree; then rank 0 sends
// every rank its block, one after the other.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.4: MPICH's former algorithm
// ("a binomial tree reduce to rank 0 followed by a linear scatterv"). Blocks may have any sizes.
// The second step sends in rank order for any number of ports, as a loop of blocking sends does. In
// reduce_scatter/nonoverlapping with --parts binomial+linear, the order depends on the ports.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  const double levels = ceil_log2(problem.ranks);
  return (levels + p - 1) * prices.alpha_s + (levels + (p - 1) / p) * n * prices.beta_s_per_byte +
         levels * n * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(3 * std::size_t{p - 1}, 9 * std::size_t{p});
  Rounds rounds(builder);
  emit_binomial_reduce(rounds, BinomialTree(p, 0), {0, p});
  for (Rank rank = 1; rank < p; ++rank) {
    rounds.next();
    rounds.comm(0, rank, {{rank, 1}, kWork, kWork});
  }
}

}  // namespace

extern const Algorithm reduce_scatterv{
    .collective = Collective::reduce_scatter,
    .name = "reduce_scatterv",
    .idea = "reduce to rank 0 over the binomial tree; rank 0 then sends every rank its block",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(ceil(lg p) + p - 1) alpha + (ceil(lg p) + (p-1)/p) n beta + ceil(lg p) n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce_scatter
