// Bine gather of blocks of any sizes.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_gather.c, gather_bine, for powers of two.
#include "schedules/patterns/bine.hpp"

#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace gather {
extern const Algorithm bine;
}  // namespace gather

namespace gatherv {

extern constinit const Algorithm bine = AsIn<gather::bine>::algorithm({
    .collective = Collective::gatherv,
    .name = "bine",
    .idea = "blocks of whole subtrees go up the tree of the Bine butterfly, near partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "lg p alpha + (p-1)/p n beta for p = p' and equal blocks",
    .options = bit(Option::block_sizes),
    .limits = kOddRanksLimits,
});

}  // namespace gatherv

}}  // namespace tutti::schedules
