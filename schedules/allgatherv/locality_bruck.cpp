// Locality-aware Bruck allgather of blocks of any sizes.
//
// Source: Bienz, Gautam and Kharel, "A locality-aware Bruck allgather", EuroMPI/USA 2022.
#include "schedules/patterns/nodes.hpp"

namespace tutti { inline namespace schedules { namespace allgatherv {

extern constinit const Algorithm locality_bruck = NodeAware<allgather::emit_nodes>::algorithm({
    .collective = Collective::allgatherv,
    .name = "locality_bruck",
    .idea = "Bruck's allgather among nodes, with different cores talking to different nodes, and "
            "an allgather within each node after each phase",
    .source = "Bienz, Gautam and Kharel, EuroMPI/USA 2022",
    .cost = "",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
});

}}}  // namespace tutti::schedules::allgatherv
