// NVLS allreduce: each rank loads the sum of its share from all by way of the switch, and stores it
// to all. A rank sends and receives little more than the vector once, however many there are.
//
// Source: NCCL 2.17 and later, NVLS (schedules/patterns/nvls.hpp).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/nvls.hpp"

namespace tutti::allreduce {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::size_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  builder.reserve(p * (3 * p + 1), 4 * p * p);
  NvlsShares shares(builder);
  for (Rank rank = 0; rank < p; ++rank) {
    shares.load(rank);
    shares.store(rank);
  }
}

}  // namespace

extern const Algorithm nvls{
    .collective = Collective::allreduce,
    .name = "nvls",
    .idea = "each rank loads the sum of its share from all, by the switch, and stores it to all",
    .source = "NCCL 2.17, NVLS",
    .cost = "",
    .keeps_order = always,
    .order_kept = "always",
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .emit = emit,
    .one_shape = always,
    .switches = NvlsShares::count,
};

}  // namespace tutti::allreduce
