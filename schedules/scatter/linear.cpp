// Linear scatter: the root sends every rank its block, in rank order.
//
// Source: Open MPI coll/base scatter_intra_basic_linear.
#include "schedules/algorithm.hpp"

namespace tutti::inline schedules::scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return (p - 1) *
         (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve(problem.ranks - 1, 0);
  std::uint32_t level = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    if (rank != problem.root) {
      builder.comm({level++}, problem.root, rank, {{rank, 1}, kWork, kWork}, {});
    }
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::scatter,
    .name = "linear",
    .idea = "the root sends every rank its block",
    .source = "Open MPI coll/base scatter_intra_basic_linear",
    .cost = "(p-1)(alpha + n/p beta)",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::scatter
