// Bine allgather of blocks of any sizes.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_allgather.c, allgather_bine_block_by_block_any_even.
#include "schedules/patterns/bine.hpp"

#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm bine;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm bine = AsIn<allgather::bine>::algorithm({
    .collective = Collective::allgatherv,
    .name = "bine",
    .idea = "the Bine reduce-scatter in reverse: partners at distance ..., 5, 3, 1, 1 exchange all "
            "their blocks",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "ceil(lg p) alpha + (p-1)/p n beta, for equal blocks",
    .options = bit(Option::block_sizes),
    .limits = kOddRanksLimits,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
