// Direct allgather: every rank sends its block to every other rank, starting with the next rank,
// all at once. Unlike in allgather/linear, no two ranks begin with the same receiver. If each rank
// has one port, all ranks send over the same distance in each round.
//
// Source: Open MPI's main branch of August 2026, ompi/mca/coll/base/coll_base_allgather.c,
// allgather_direct_messaging.
#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  return (p - 1) *
         (prices.alpha_s + static_cast<double>(problem.bytes) / p * prices.beta_s_per_byte);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(std::size_t{p} * (p - 1), 0);
  for (std::uint32_t distance = 1; distance < p; ++distance) {
    for (const Rank src : builder.emitted_ranks()) {
      const Rank dst = src + distance < p ? src + distance : src + distance - p;
      builder.comm({distance - 1}, src, dst, {{src, 1}, kWork, kWork}, {});
    }
  }
}

}  // namespace

extern const Algorithm direct{
    .collective = Collective::allgather,
    .name = "direct",
    .idea =
        "every rank sends its block to every other rank, starting with the next rank, all at once",
    .source = "Open MPI (main branch of August 2026) coll/base allgather_direct_messaging",
    .cost = "(p-1)(alpha + n/p beta)",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
