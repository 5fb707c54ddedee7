// Linear allgather of blocks of any sizes: every rank sends its block to every other rank, all at
// once.
//
// Source: UCC src/components/tl/ucp/allgather, algorithm linear, whose blocks need not be equal.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm linear;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm linear = AsIn<allgather::linear>::algorithm({
    .collective = Collective::allgatherv,
    .name = "linear",
    .idea = "every rank sends its block to every other rank, all at once",
    .source = "UCC tl/ucp allgather (linear)",
    .cost = "(2^ceil(lg p) - 1)(alpha + n/p beta) for equal blocks",
    .options = bit(Option::block_sizes),
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
