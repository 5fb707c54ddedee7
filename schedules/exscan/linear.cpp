// Linear exclusive scan: rank r receives the sum of the contributions of ranks 0 to r-1 from rank
// r-1, adds its own contribution, and sends the sum on to rank r+1.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_exscan.c (ompi_coll_base_exscan_intra_linear).
#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace exscan {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double n = static_cast<double>(problem.bytes);
  if (problem.ranks == 1) {
    return 0;
  }
  if (prices.copy_s_per_byte > 0) {
    return std::nullopt;  // the copies overlap with messages
  }
  return (p - 1) * (prices.alpha_s + n * prices.beta_s_per_byte) +
         (p - 2) * n * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  builder.reserve(std::size_t{p} - 1 + 2 * (std::size_t{p} - 2), 4 * std::size_t{p});
  // The received sum is the rank's result. The sum that the rank sends on is made from a copy of
  // the rank's contribution.
  OpId sum = kNoOp;
  for (Rank rank = 1; rank < p; ++rank) {
    const OpId copied =
        rank + 1 < p ? builder.copy({0, 2}, rank, {{0, 1}, kInput, kScratch}, {}) : kNoOp;
    const OpId received = builder.comm(
        {rank - 1}, rank - 1, rank, {{0, 1}, rank == 1 ? kWork : kScratch, kWork}, std::array{sum});
    if (rank + 1 < p) {
      sum = builder.reduce({rank - 1}, rank, {{0, 1}, kWork, kScratch}, Operand::left,
                           std::array{received, copied});
    }
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::exscan,
    .name = "linear",
    .idea =
        "every rank waits for the sum of the ranks before it, adds its own vector, and passes it "
        "on",
    .source = "Open MPI coll/base exscan_intra_linear",
    .cost = "(p-1)(alpha + n beta) + (p-2) n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::exscan
