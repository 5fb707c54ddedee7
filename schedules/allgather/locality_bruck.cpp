// Locality-aware Bruck allgather: an allgather within each node, then Bruck's allgather among the
// nodes, in which the cores of a node exchange blocks with different nodes, and an allgather of
// what they have received within each node after each phase. For N nodes it takes ceil(log_K N)
// phases between nodes, with one message per core if a node has K - 1 cores or more.
//
// Source: Bienz, Gautam and Kharel, "A locality-aware Bruck allgather", EuroMPI/USA 2022 (see
// schedules/patterns/locality_bruck.hpp).
#include "schedules/patterns/locality_bruck.hpp"

#include "schedules/algorithm.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder) {
  const LocalityBruck bruck(shape);
  builder.reserve(bruck.messages(), 4 * bruck.messages());
  Phases phases(builder, 2 * std::size_t{bruck.most_messages()});
  for (const LocalityBruck::Phase& phase : bruck.phases()) {
    phases.next();
    bruck.for_each_message(phase, [&](const LocalityBruck::Message& message) {
      phases.comm(message.src, message.dst, message.blocks, kWork, kWork, message.index);
    });
  }
}

extern constinit const Algorithm locality_bruck = NodeAware<emit_nodes>::algorithm({
    .collective = Collective::allgather,
    .name = "locality_bruck",
    .idea = "Bruck's allgather among nodes, with different cores talking to different nodes, and "
            "an allgather within each node after each phase",
    .source = "Bienz, Gautam and Kharel, EuroMPI/USA 2022",
    .cost = "",
    .layout = block_per_rank,
});

}}}  // namespace tutti::schedules::allgather
