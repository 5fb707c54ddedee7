// Bine gather: blocks go up the tree of the Bine butterfly, near partners first; each rank sends
// the blocks of its subtree.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_gather.c, gather_bine, for powers of two.
#include "schedules/patterns/bine.hpp"

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules { namespace gather {

extern constinit const Algorithm bine = RootedBine<true>::algorithm({
    .collective = Collective::gather,
    .name = "bine",
    .idea = "blocks of whole subtrees go up the tree of the Bine butterfly, near partners first",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311",
    .cost = "lg p alpha + (p-1)/p n beta for p = p'",
});

}}}  // namespace tutti::schedules::gather
