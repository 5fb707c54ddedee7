// Circulant allgather of blocks of any sizes. It takes ceil(lg p) rounds with halving or doubling
// skips.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), second phase of Algorithm 2.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm circulant;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm circulant = AsIn<allgather::circulant>::algorithm({
    .collective = Collective::allgatherv,
    .name = "circulant",
    .idea = "the circulant reduce-scatter in reverse, for blocks of any sizes",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, Algorithm 2",
    .cost = "q alpha + (p-1)/p n beta for equal blocks; the number of rounds q is ceil(lg p) with "
            "halving or doubling skips",
    .options = bit(Option::skips) | bit(Option::block_sizes),
    .symmetry = AsIn<allgather::circulant>::symmetry,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
