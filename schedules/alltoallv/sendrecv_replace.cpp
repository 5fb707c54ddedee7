// All-to-all in place, of blocks of any sizes: rank 0 exchanges with ranks 1, 2, ..., then rank 1
// with ranks 2, 3, ..., and so on. Each rank exchanges with the others in ascending order, so a
// pair can exchange once both ranks are done with all lower ranks. This takes 2p-3 steps.
//
// Source: MPICH 4.0, src/mpi/coll/alltoallv/alltoallv_intra_pairwise_sendrecv_replace.c.
#include <algorithm>

#include "schedules/patterns/pair_blocks.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace alltoallv {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double steps = problem.ranks == 1 ? 0 : 2 * p - 3;
  return steps * (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(std::size_t{p} * (p - 1), 4 * std::size_t{p} * (p - 1));
  Rounds rounds(builder);
  // The step of a pair is the sum of its two rank numbers.
  for (std::uint32_t step = 1; step + 2 < 2 * p; ++step) {
    rounds.next();
    for (Rank low = step < p ? 0 : step - p + 1; 2 * low < step; ++low) {
      rounds.comm(low, step - low, pair_block(low, step - low, p));
      rounds.comm(step - low, low, pair_block(step - low, low, p));
    }
  }
}

}  // namespace

extern const Algorithm sendrecv_replace{
    .collective = Collective::alltoallv,
    .name = "sendrecv_replace",
    .idea =
        "every rank exchanges in place with each of the other ranks, in the order of rank numbers",
    .source = "MPICH alltoallv_intra_pairwise_sendrecv_replace",
    .cost = "(2p-3)(alpha + n/p beta) for equal blocks",
    .options = bit(Option::block_sizes),
    .layout = block_per_pair,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoallv
