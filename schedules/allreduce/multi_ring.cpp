// Ring allreduce over several rings side by side, as NCCL runs one in each of its channels; by
// default, over the ring in both directions.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/multi_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules::allreduce {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const MultiRing ring(problem);
  builder.reserve(3 * ring.messages(), 9 * ring.messages());
  std::vector<Rounds> rounds = ring.rounds(builder);
  ring.reduce_scatter(rounds);
  ring.allgather(rounds);
}

}  // namespace

extern const Algorithm multi_ring{
    .collective = Collective::allreduce,
    .name = "multi_ring",
    .idea =
        "rings side by side, each with its part of every block, two of them the ring in both "
        "directions",
    .source = "NCCL graph/connect.cc, device/all_reduce.h",
    .cost = "",
    .options = bit(Option::channels),
    .own_numbers = {&kTwoChannels, 1},
    .layout = multi_ring_layout,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::allreduce
