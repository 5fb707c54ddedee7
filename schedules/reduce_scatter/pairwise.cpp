// Pairwise reduce-scatter: in step k rank r sends its own contribution to block r+k to that block's
// owner, and reduces the contribution of rank r-k to block r.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005 (pairwise exchange for long vectors);
// Iannello 1997. Operators must commute: contributions arrive from ranks r-1, r-2, ..., modulo p.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/rounds.hpp"

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
  builder.each_distance([&](std::uint32_t step) {
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank to = rank + step < p ? rank + step : rank + step - p;
      rounds.comm(rank, to, {{to, 1}, kWork, kScratch});
    }
    for (const Rank rank : rounds.emitted_ranks()) {
      rounds.reduce(rank, {{rank, 1}, kScratch, kWork}, Operand::left);
    }
  });
}

}  // namespace

extern const Algorithm pairwise{
    .collective = Collective::reduce_scatter,
    .name = "pairwise",
    .idea = "in round k rank r sends its part of block r+k+1 directly to that block's owner",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(p-1) alpha + (p-1)/p n (beta + gamma)",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .has_alike_rounds_in_part = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce_scatter
