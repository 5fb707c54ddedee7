// Pairwise all-to-all as MPICH runs it: at step k partners r and r xor k exchange, where p is a
// power of two; elsewhere rank r sends to rank r + k and receives from rank r - k, as in
// alltoall/pairwise. Blocks are counted by distance.
//
// Source: MPICH 4.0, src/mpi/coll/alltoall/alltoall_intra_pairwise.c; Thakur, Rabenseifner and
// Gropp, IJHPCA 19(1), 2005 (they count n without the own block).
#include <bit>

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

RankSymmetry symmetry(const Problem& problem) {
  return std::has_single_bit(problem.ranks) ? exchange_of_even_blocks(problem) : rotation(problem);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const bool exchanges = std::has_single_bit(p);
  builder.reserve(std::size_t{p} * p, 4 * std::size_t{p} * (p - 1));
  copy_own_blocks(builder);
  Rounds rounds(builder);
  for (std::uint32_t step = 1; step < p; ++step) {
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank to = exchanges ? rank ^ step : (rank + step) % p;
      rounds.comm(rank, to, {{(to + p - rank) % p, 1}, kInput, kWork});
    }
  }
}

}  // namespace

extern const Algorithm pairwise_exchange{
    .collective = Collective::alltoall,
    .name = "pairwise_exchange",
    .idea = "at step k partners r and r xor k exchange; as pairwise where p is no power of two",
    .source = "MPICH 4.0 alltoall_intra_pairwise",
    .cost = "(p-1) alpha + (p-1)/p n beta",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = symmetry,
    .emit = emit,
};

}  // namespace tutti::alltoall
