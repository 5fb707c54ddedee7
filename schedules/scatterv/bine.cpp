// Bine scatter of blocks of any sizes.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_scatter.c, scatter_bine, for powers of two.
#include "schedules/patterns/bine.hpp"

#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace scatter {
extern const Algorithm bine;
}  // namespace scatter

namespace scatterv {

extern constinit const Algorithm bine = AsIn<scatter::bine>::algorithm({
    .collective = Collective::scatterv,
    .name = "bine",
    .idea = "blocks of whole subtrees go down the tree of the Bine butterfly, far partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "lg p alpha + (p-1)/p n beta for p = p' and equal blocks",
    .options = bit(Option::block_sizes),
    .limits = kOddRanksLimits,
});

}  // namespace scatterv

}}  // namespace tutti::schedules
