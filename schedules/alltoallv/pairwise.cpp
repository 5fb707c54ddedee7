// Pairwise all-to-all of blocks of any sizes: in step k rank r sends a message, which may be empty,
// to rank r + k and receives one from rank r - k. A step takes as long as its largest message.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_alltoallv.c
// (ompi_coll_base_alltoallv_intra_pairwise).
#include "schedules/patterns/pair_blocks.hpp"
#include "schedules/patterns/pairwise_alltoall.hpp"
#include "schedules/patterns/rounds.hpp"

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
  builder.reserve(std::size_t{p} * (p - 1), 4 * std::size_t{p} * (p - 1));
  Rounds rounds(builder);
  emit_exchange_steps(builder, [&](std::uint32_t step) {
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank to = rank + step < p ? rank + step : rank + step - p;
      rounds.comm(rank, to, pair_block(rank, to, p));
    }
  });
}

}  // namespace

extern const Algorithm pairwise{
    .collective = Collective::alltoallv,
    .name = "pairwise",
    .idea = "in round k rank r sends to rank r+k+1 and receives from rank r-k-1",
    .source = "Open MPI coll/base alltoallv_intra_pairwise",
    .cost = "(p-1) alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::block_sizes),
    .layout = block_per_pair,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .has_alike_rounds_in_part = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoallv
