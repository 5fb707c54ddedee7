// PAT reduce-scatter of blocks of one size.
//
// Source: see patterns/pat.hpp.
#include "schedules/patterns/as_in.hpp"

namespace tutti::inline schedules {

namespace reduce_scatter {
extern const Algorithm pat;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern const Algorithm pat{
    .collective = Collective::reduce_scatter_block,
    .name = "pat",
    .idea = "binomial trees branch by branch, then far dimensions, at most K blocks in a message",
    .source = "Jeaugey, PAT, arXiv 2506.20252; NCCL 2.23 include/collectives.h",
    .cost =
        "M alpha + (p-1)/p n (beta + gamma), M = ceil(lg p) messages with no bound, about (p-1)/K "
        "with $aggregate K",
    .keeps_order = AsIn<reduce_scatter::pat>::keeps_order,
    .order_kept = "p <= 2",
    .options = bit(Option::aggregate),
    .layout = AsIn<reduce_scatter::pat>::layout,
    .exact_s = AsIn<reduce_scatter::pat>::exact_s,
    .symmetry = AsIn<reduce_scatter::pat>::symmetry,
    .emit = AsIn<reduce_scatter::pat>::emit,
    .one_shape = AsIn<reduce_scatter::pat>::one_shape,
};

}  // namespace reduce_scatter_block

}  // namespace tutti::inline schedules
