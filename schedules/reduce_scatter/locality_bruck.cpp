// Locality-aware reduce-scatter: the locality-aware Bruck allgather in reverse, with sums in place
// of copies. Among nodes, the cores of a node exchange partial sums with different nodes; before
// each phase, the cores of a node sum up what each of them will send.
//
// Source: Bienz, Gautam and Kharel, "A locality-aware Bruck allgather", EuroMPI/USA 2022, reversed
// (see schedules/patterns/locality_bruck.hpp). Operators must commute.
#include "schedules/patterns/locality_bruck.hpp"

#include <ranges>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder) {
  const LocalityBruck bruck(shape);
  builder.reserve(2 * bruck.messages(), 6 * bruck.messages());
  Phases phases(builder, 2 * std::size_t{bruck.most_messages()});
  std::vector<std::uint32_t> received(builder.ranks());
  for (const LocalityBruck::Phase& phase : std::views::reverse(bruck.phases())) {
    phases.next();
    std::fill(received.begin(), received.end(), 0);
    bruck.for_each_message(phase, [&](const LocalityBruck::Message& message) {
      phases.comm(message.dst, message.src, message.blocks, kWork,
                  {Buffer::scratch, received[message.src]++}, message.index);
    });
    std::fill(received.begin(), received.end(), 0);
    bruck.for_each_message(phase, [&](const LocalityBruck::Message& message) {
      const std::uint32_t slot = received[message.src]++;
      phases.reduce(message.src, message.blocks, {Buffer::scratch, slot}, kWork, Operand::left,
                    slot);
    });
  }
}

extern constinit const Algorithm locality_bruck = NodeAware<emit_nodes>::algorithm({
    .collective = Collective::reduce_scatter,
    .name = "locality_bruck",
    .idea = "the locality-aware Bruck allgather in reverse, with sums in place of copies",
    .source = "Bienz, Gautam and Kharel, EuroMPI/USA 2022, reversed",
    .cost = "",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
});

}}}  // namespace tutti::schedules::reduce_scatter
