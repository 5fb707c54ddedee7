// Circulant reduce-scatter of equal blocks, in ceil(lg p) rounds with halving or doubling skips.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Algorithm 1.
#include "schedules/patterns/as_in.hpp"
#include "schedules/patterns/circulant_skips.hpp"

namespace tutti::inline schedules {

namespace reduce_scatter {
extern const Algorithm circulant;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern const Algorithm circulant{
    .collective = Collective::reduce_scatter_block,
    .name = "circulant",
    .idea =
        "partial results of ranges of blocks travel over a circulant graph, in ceil(lg p) rounds",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, Algorithm 1",
    .cost =
        "q alpha + (p-1)/p n (beta + gamma), q rounds: ceil(lg p) with halving or doubling skips; "
        "with linear skips p-1, and n gamma in place of (p-1)/p n gamma for p > 2",
    .keeps_order = AsIn<reduce_scatter::circulant>::keeps_order,
    .order_kept = "linear skips",
    .options = bit(Option::skips) | bit(Option::copies),
    .remark = kCorollary2Remark,
    .layout = AsIn<reduce_scatter::circulant>::layout,
    .exact_s = AsIn<reduce_scatter::circulant>::exact_s,
    .symmetry = AsIn<reduce_scatter::circulant>::symmetry,
    .emit = AsIn<reduce_scatter::circulant>::emit,
    .one_shape = AsIn<reduce_scatter::circulant>::one_shape,
};

}  // namespace reduce_scatter_block

}  // namespace tutti::inline schedules
