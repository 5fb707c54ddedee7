// Circulant reduce-scatter of equal blocks, in ceil(lg p) rounds with halving or doubling skips.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Algorithm 1.
#include "schedules/patterns/as_in.hpp"
#include "schedules/patterns/circulant_skips.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm circulant;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm circulant = AsIn<reduce_scatter::circulant>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "circulant",
    .idea =
        "partial results of ranges of blocks travel over a circulant graph, in ceil(lg p) rounds",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, Algorithm 1",
    .cost = "q alpha + (p-1)/p n (beta + gamma); the number of rounds q is ceil(lg p) with halving "
            "or doubling skips; with linear skips it is p-1, and n gamma replaces (p-1)/p n gamma "
            "for p > 2",
    .order_kept = "linear skips",
    .options = bit(Option::skips) | bit(Option::copies),
    .remark = kCorollary2Remark,
    .symmetry = AsIn<reduce_scatter::circulant>::symmetry,
});

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
