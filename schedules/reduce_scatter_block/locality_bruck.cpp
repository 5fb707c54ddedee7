// Locality-aware reduce-scatter of equal blocks: the locality-aware Bruck allgather in reverse.
//
// Source: Bienz, Gautam and Kharel, "A locality-aware Bruck allgather", EuroMPI/USA 2022, reversed.
#include "schedules/patterns/nodes.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter_block {

extern constinit const Algorithm locality_bruck = NodeAware<reduce_scatter::emit_nodes>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "locality_bruck",
    .idea = "the locality-aware Bruck allgather in reverse, with sums in place of copies",
    .source = "Bienz, Gautam and Kharel, EuroMPI/USA 2022, reversed",
    .cost = "",
    .layout = block_per_rank,
});

}}}  // namespace tutti::schedules::reduce_scatter_block
