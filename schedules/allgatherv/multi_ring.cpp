// Ring allgather of blocks of any sizes, over several rings in parallel.
//
// Source: see patterns/multi_ring.hpp.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm multi_ring;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm multi_ring = AsIn<allgather::multi_ring>::algorithm({
    .collective = Collective::allgatherv,
    .name = "multi_ring",
    .idea = "several rings in parallel, each with its part of every block; by default the ring in "
            "both directions",
    .source = "NCCL graph/connect.cc, device/all_gather.h",
    .cost = "C (p-1) alpha + (p-1)/p n beta for equal blocks, with C channels",
    .options = bit(Option::channels) | bit(Option::block_sizes),
    .own_numbers = {&kTwoChannels, 1},
    .has_alike_rounds = true,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
