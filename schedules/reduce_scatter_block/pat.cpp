// PAT reduce-scatter of equal-sized blocks.
//
// Source: see patterns/pat.hpp.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm pat;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm pat = AsIn<reduce_scatter::pat>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "pat",
    .idea = "partial sums go up binomial trees branch by branch, then over far dimensions, with at "
            "most K blocks in a message",
    .source = "Jeaugey, PAT, arXiv 2506.20252; NCCL 2.23 include/collectives.h",
    .cost = "M alpha + (p-1)/p n (beta + gamma); the number of messages M is ceil(lg p) by "
            "default, and about (p-1)/K with $aggregate K",
    .order_kept = "p <= 2",
    .options = bit(Option::aggregate),
    .symmetry = AsIn<reduce_scatter::pat>::symmetry,
});

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
