// Linear all-to-all with a bound: every rank has at most --throttle messages in flight in each
// direction. It sends to the ranks just below it first and receives from the ranks just above it
// first. As soon as one message ends, the rank posts the next one. Without --throttle all messages
// begin at once. Blocks are numbered by distance.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_alltoall.c, alltoall_intra_linear_sync, whose
// bound is the parameter coll_tuned_alltoall_algorithm_max_requests. In Open MPI, the end of any
// message lets the next one begin; here, it is always the end of the message that was posted first.
#include <array>
#include <vector>

#include "schedules/patterns/pairwise_alltoall.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::uint32_t bound = problem.throttle == 0 || problem.throttle >= p ? p : problem.throttle;
  const std::size_t messages = std::size_t{p} * (p - 1);
  builder.reserve(p + messages, bound + 1 < p ? 2 * std::size_t{p} * (p - 1 - bound) : 0);
  copy_own_blocks(builder);
  // Messages that each rank sent in the last `kept` steps, by step modulo `kept`.
  const std::uint32_t kept = bound + 1 < p ? bound + 1 : 0;
  std::vector<OpId> sent(std::size_t{kept} * p, kNoOp);
  for (std::uint32_t step = 1; step < p; ++step) {
    OpId* const now = kept == 0 ? nullptr : sent.data() + std::size_t{step % kept} * p;
    const OpId* const before =
        step <= bound ? nullptr : sent.data() + std::size_t{(step - bound) % kept} * p;
    for (Rank src = 0; src < p; ++src) {
      const Rank dst = src >= step ? src - step : src + p - step;
      const Move move{{p - step, 1}, kInput, kWork};
      OpId id = kNoOp;
      if (before == nullptr) {
        id = builder.comm({step - 1}, src, dst, move, {});
      } else {
        // The rank from which `dst` received a message `bound` steps ago.
        const Rank other = src >= bound ? src - bound : src + p - bound;
        id = builder.comm({step - 1}, src, dst, move, std::array{before[src], before[other]});
      }
      if (now != nullptr) {
        now[src] = id;
      }
    }
  }
}

}  // namespace

extern const Algorithm linear_sync{
    .collective = Collective::alltoall,
    .name = "linear_sync",
    .idea =
        "every rank sends to every other rank, starting with the ranks below it, with a limited "
        "number of messages in flight",
    .source = "Open MPI coll/base alltoall_intra_linear_sync",
    .cost = "(p-1) alpha + (p-1)/p n beta",
    .options = bit(Option::throttle),
    .layout = block_per_rank,
    .exact_s = pairwise_alltoall_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall
