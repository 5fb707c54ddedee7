// Linear broadcast: the root sends the vector to every other rank, in rank order.
//
// Source: Open MPI coll/base bcast_intra_basic_linear.
#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  return (problem.ranks - 1) * (prices.alpha_s + n * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  builder.reserve(problem.ranks - 1, 0);
  std::uint32_t level = 0;
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    if (rank != problem.root) {
      builder.comm({level++}, problem.root, rank, {{0, 1}, kWork, kWork}, {});
    }
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::bcast,
    .name = "linear",
    .idea = "the root sends the vector to every other rank",
    .source = "Open MPI coll/base bcast_intra_basic_linear",
    .cost = "(p-1)(alpha + n beta)",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::bcast
