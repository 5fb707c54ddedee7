// Pairwise all-to-all: at step k rank r sends block k, counted by distance, to rank r + k and
// receives from rank r - k.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005 (they count n without the own block).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/own_block.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::alltoall {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (prices.copy_s_per_byte > 0) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return (p - 1) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(std::size_t{p} * p, 4 * std::size_t{p} * (p - 1));
  copy_own_blocks(builder);
  Rounds rounds(builder);
  for (std::uint32_t step = 1; step < p; ++step) {
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank to = rank + step < p ? rank + step : rank + step - p;
      rounds.comm(rank, to, {{step, 1}, kInput, kWork});
    }
  }
}

}  // namespace

extern const Algorithm pairwise{
    .collective = Collective::alltoall,
    .name = "pairwise",
    .idea = "at step k rank r sends to rank r+k and receives from rank r-k",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(p-1) alpha + (p-1)/p n beta",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation,
    .emit = emit,
};

}  // namespace tutti::alltoall
