// Linear gather: every rank sends its block to the root, in rank order.
//
// Source: Open MPI coll/base gather_intra_basic_linear.
#include "schedules/algorithm.hpp"

namespace tutti::inline schedules::gather {

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
      builder.comm({level++}, rank, problem.root, {{rank, 1}, kWork, kWork}, {});
    }
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::gather,
    .name = "linear",
    .idea = "every rank sends its block to the root",
    .source = "Open MPI coll/base gather_intra_basic_linear",
    .cost = "(p-1)(alpha + n/p beta)",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::gather
