// Circulant gather: blocks go up the spanning tree that the skips form towards the root. A message
// carries the blocks of a whole subtree.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), section 4 (specialisation to the rooted problems).
#include "schedules/patterns/circulant_tree.hpp"

namespace tutti { inline namespace schedules { namespace gather {

extern constinit const Algorithm circulant = RootedCirculant<true>::algorithm({
    .collective = Collective::gather,
    .name = "circulant",
    .idea = "blocks of whole subtrees go up the tree of a circulant graph",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, section 4",
    .cost = "q alpha + (p-1)/p n beta if the root takes part in every round; the number of rounds "
            "q is ceil(lg p) with halving or doubling skips",
});

}}}  // namespace tutti::schedules::gather
