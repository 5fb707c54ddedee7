// Double ring barrier: a signal goes around the ring twice. When the signal is back at rank 0 for
// the first time, all ranks have entered the barrier. In the second turn, the signal lets each rank
// leave.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_barrier.c, barrier_intra_doublering.
#include <array>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return problem.ranks == 1 ? 0 : 2.0 * problem.ranks * prices.alpha_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  builder.reserve(2 * std::size_t{p}, 2 * std::size_t{p} - 1);
  OpId before = kNoOp;
  for (std::uint32_t hop = 0; hop < 2 * p; ++hop) {
    before =
        builder.comm({hop}, hop % p, (hop + 1) % p, {{0, 1}, kWork, kScratch}, std::array{before});
  }
}

}  // namespace

extern const Algorithm double_ring{
    .collective = Collective::barrier,
    .name = "double_ring",
    .idea = "a signal goes around the ring twice",
    .source = "Open MPI coll/base barrier_intra_doublering",
    .cost = "2 p alpha",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::barrier
