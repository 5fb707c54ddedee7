// Pairwise all-to-all in place: every rank exchanges with ranks 0, 1, ..., p-1 in that order. All
// ranks thus agree on the order, and a received block can take the place of the block that was
// sent. Pair (i, j) exchanges in step i + j. Blocks are numbered by distance.
//
// Source: MPICH 4.0, src/mpi/coll/alltoall/alltoall_intra_pairwise_sendrecv_replace.c. MPICH has
// one buffer, and a copy of the block that is being sent. Here input and result have separate
// places, as in every all-to-all.
#include <array>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/own_block.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (prices.copy_s_per_byte > 0) {
    return std::nullopt;
  }
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  return (2 * p - 3) *
         (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t messages = std::size_t{p} * (p - 1);
  builder.reserve(p + messages, 4 * messages);
  copy_own_blocks(builder);
  struct Exchange {
    OpId send = kNoOp;
    OpId receive = kNoOp;
  };
  std::vector<Exchange> before(p);
  for (Rank low = 0; low < p; ++low) {
    for (Rank high = low + 1; high < p; ++high) {
      const std::uint32_t distance = high - low;
      const std::array after{before[low].send, before[low].receive, before[high].send,
                             before[high].receive};
      const OpId up =
          builder.comm({low + high - 1}, low, high, {{distance, 1}, kInput, kWork}, after);
      const OpId down =
          builder.comm({low + high - 1}, high, low, {{p - distance, 1}, kInput, kWork}, after);
      before[low] = {up, down};
      before[high] = {down, up};
    }
  }
}

}  // namespace

extern const Algorithm pairwise_replace{
    .collective = Collective::alltoall,
    .name = "pairwise_replace",
    .idea = "every rank exchanges with ranks 0 to p-1 in turn, so that one buffer is enough",
    .source = "MPICH 4.0 alltoall_intra_pairwise_sendrecv_replace",
    .cost = "(2p-3)(alpha + n/p beta)",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall
