// Ring reduce-scatter: in step k rank r sends its partial result of block r-1-k to rank r+1, which
// adds its own contribution. After p-1 steps rank r holds block r complete.
//
// Source: Open MPI coll/base reduce_scatter_intra_ring. Operators must commute.
#include "schedules/patterns/ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return (p - 1) * prices.alpha_s + share * (prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t step_ops = std::size_t{p} * (p - 1);
  builder.reserve(2 * step_ops, 5 * step_ops);
  Rounds rounds(builder);
  Ring(rounds, p).reduce(p - 1, 0, 1);
}

}  // namespace

extern const Algorithm ring{
    .collective = Collective::reduce_scatter,
    .name = "ring",
    .idea = "each block is reduced once around the ring and ends at its owner",
    .source = "Open MPI coll/base reduce_scatter_intra_ring",
    .cost = "(p-1) alpha + (p-1)/p n (beta + gamma)",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .has_alike_rounds = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce_scatter
