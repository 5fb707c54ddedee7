// Scattered all-to-all of blocks of any sizes: every rank posts --throttle messages in each
// direction, to the ranks just below it first and from those just above it first. It waits until
// all of these messages are over, and posts the next ones. The copy of the rank's own block counts
// as one of the first messages. Without --throttle all messages begin at once.
//
// Source: MPICH 4.0, src/mpi/coll/alltoallv/alltoallv_intra_scattered.c, whose bound is
// MPIR_CVAR_ALLTOALL_THROTTLE, 32 unless it is set. MPICH posts nothing for an empty block; here an
// empty message is sent, as in the other algorithms of this collective.
#include <algorithm>

#include "schedules/patterns/pair_blocks.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace alltoallv {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return (p - 1) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t bound = problem.throttle == 0 ? p : std::min(problem.throttle, p);
  const std::size_t messages = std::size_t{p} * (p - 1);
  builder.reserve(messages, bound < p ? 4 * messages * bound : 0);
  Phases phases(builder, 2 * std::size_t{bound});
  for (std::uint32_t first = 0; first < p; first += bound) {
    phases.next();
    for (std::uint32_t step = std::max(first, 1U); step - first < bound && step < p; ++step) {
      for (Rank rank = 0; rank < p; ++rank) {
        const Rank to = rank >= step ? rank - step : rank + p - step;
        phases.comm(rank, to, pair_block(rank, to, p), step - first);
      }
    }
  }
}

}  // namespace

extern const Algorithm scattered{
    .collective = Collective::alltoallv,
    .name = "scattered",
    .idea = "every rank sends to every other rank, starting with the ranks below it, in batches",
    .source = "MPICH 4.0 alltoallv_intra_scattered",
    .cost = "(p-1) alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::throttle) | bit(Option::block_sizes),
    .layout = block_per_pair,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoallv
