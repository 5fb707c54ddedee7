// Circulant gather of blocks of any sizes.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), section on rooted collectives.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace gather {
extern const Algorithm circulant;
}  // namespace gather

namespace gatherv {

extern constinit const Algorithm circulant = AsIn<gather::circulant>::algorithm({
    .collective = Collective::gatherv,
    .name = "circulant",
    .idea = "blocks of whole subtrees go up the tree of a circulant graph, whatever their sizes",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, section 4",
    .cost = "q alpha + (p-1)/p n beta for equal blocks if the root takes part in every round; the "
            "number of rounds q is ceil(lg p) with halving or doubling skips",
    .options = bit(Option::skips) | bit(Option::block_sizes),
});

}  // namespace gatherv

}}  // namespace tutti::schedules
