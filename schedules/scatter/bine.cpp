// Bine scatter: the root's blocks go down the tree of the Bine butterfly, far partners first; each
// rank gets the blocks of its subtree.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_scatter.c, scatter_bine, for powers of two.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace scatter {

extern constinit const Algorithm bine = RootedBine<false>::algorithm({
    .collective = Collective::scatter,
    .name = "bine",
    .idea = "blocks of whole subtrees go down the tree of the Bine butterfly, far partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "lg p alpha + (p-1)/p n beta for p = p'",
});

}}}  // namespace tutti::schedules::scatter
