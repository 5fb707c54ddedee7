// NVLS allreduce: each rank loads the sum of its share from all ranks through the switch, and
// stores it at all ranks. A rank sends and receives the vector once, and its share once more. Each
// share is moved in one message; NCCL moves shares in smaller pieces, which overlap more.
//
// Source: NCCL 2.17 and later, NVLS (see schedules/patterns/nvls.hpp).
#include "schedules/patterns/nvls.hpp"

#include <algorithm>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

// Each port carries p + 1 messages in each direction. The rest of the time is the wait before the
// first message and after the last one.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks == 1) {
    return 0;
  }
  // With shares of different sizes, the order of messages at a port depends on the sizes.
  if (problem.elements() % problem.ranks != 0) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return (p + std::min(p + 1, 5.0)) *
         (prices.alpha_s / 2 + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::size_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  builder.reserve(p * (3 * p + 1), 4 * p * p);
  NvlsShares shares(builder);
  // Loads are two shares ahead of stores: a rank has loaded its share before others store theirs,
  // and its port is never idle.
  constexpr Rank kAhead = 2;
  for (Rank rank = 0; rank < p + kAhead; ++rank) {
    if (rank < p) {
      shares.load(rank);
    }
    if (rank >= kAhead) {
      shares.store(rank - kAhead);
    }
  }
}

}  // namespace

extern const Algorithm nvls{
    .collective = Collective::allreduce,
    .name = "nvls",
    .idea =
        "each rank loads the sum of its share, reduced by the switch, and stores the sum to all "
        "ranks through the switch",
    .source = "NCCL 2.17, NVLS",
    .cost =
        "(p + 5)(alpha/2 + n/p beta) for p > 3; 5 (alpha/2 + n/p beta) for p = 2; 7 (alpha/2 + n/p "
        "beta) for p = 3",
    .keeps_order = always,
    .order_kept = "always",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .switches = NvlsShares::count,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
