// Ring reduce-scatter over several rings side by side; by default, over the ring in both
// directions.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/multi_ring.hpp"

#include "schedules/algorithm.hpp"

namespace tutti::inline schedules::reduce_scatter {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const MultiRing ring(problem);
  builder.reserve(2 * ring.messages(), 5 * ring.messages());
  std::vector<Rounds> rounds = ring.rounds(builder);
  ring.reduce_scatter(rounds);
}

}  // namespace

extern const Algorithm multi_ring{
    .collective = Collective::reduce_scatter,
    .name = "multi_ring",
    .idea =
        "rings side by side, each with its part of every block, two of them the ring in both "
        "directions",
    .source = "NCCL graph/connect.cc, device/reduce_scatter.h",
    .cost = "",
    .options = bit(Option::channels) | bit(Option::block_sizes),
    .own_numbers = {&kTwoChannels, 1},
    .layout = multi_ring_layout,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::reduce_scatter
