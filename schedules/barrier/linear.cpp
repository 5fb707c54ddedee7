// Linear barrier: every rank sends a signal to rank 0, which then sends a signal to every rank.
//
// Source: Open MPI coll/base barrier_intra_basic_linear.
#include <array>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return 2.0 * (problem.ranks - 1) * prices.alpha_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  if (p == 1) {
    return;
  }
  builder.reserve(2 * std::size_t{p} - 1, 3 * std::size_t{p});
  std::vector<OpId> arrived(p, kNoOp);
  for (Rank rank = 1; rank < p; ++rank) {
    arrived[rank] =
        builder.comm({rank - 1}, rank, 0, {{0, 1}, kWork, {Buffer::scratch, rank - 1}}, {});
  }
  // A single operation waits for all signals; otherwise each of p-1 answers would wait for p-1
  // signals.
  const OpId all = builder.copy({p - 2}, 0, {{0, 1}, kScratch, kWork}, arrived);
  for (Rank rank = 1; rank < p; ++rank) {
    builder.comm({p - 2 + rank}, 0, rank, {{0, 1}, kWork, kScratch},
                 std::array{all, arrived[rank]});
  }
}

}  // namespace

extern const Algorithm linear{
    .collective = Collective::barrier,
    .name = "linear",
    .idea = "every rank signals rank 0, which then signals every rank",
    .source = "Open MPI coll/base barrier_intra_basic_linear",
    .cost = "2(p-1) alpha",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
};

}}}  // namespace tutti::schedules::barrier
