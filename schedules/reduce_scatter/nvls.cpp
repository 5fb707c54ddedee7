// NVLS reduce_scatter: each rank loads the sum of its share from all by way of the switch.
//
// Source: NCCL 2.17 and later, NVLS (schedules/patterns/nvls.hpp).
#include "schedules/patterns/nvls.hpp"

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules::reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  const double p = problem.ranks;
  return (p + 1) *
         (prices.alpha_s / 2 + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::size_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  builder.reserve(2 * p * p, 2 * p * (p + 1));
  NvlsShares shares(builder);
  for (Rank rank = 0; rank < p; ++rank) {
    shares.load(rank);
  }
}

}  // namespace

extern const Algorithm nvls{
    .collective = Collective::reduce_scatter,
    .name = "nvls",
    .idea = "each rank loads the sum of its share from all, by the switch",
    .source = "NCCL 2.17, NVLS",
    .cost = "(p + 1)(alpha/2 + n/p beta)",
    .keeps_order = always,
    .order_kept = "always",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .switches = NvlsShares::count,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::reduce_scatter
