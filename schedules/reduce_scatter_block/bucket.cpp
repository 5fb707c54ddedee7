// Bucket reduce-scatter of equal-sized blocks.
//
// Source: see patterns/bucket.hpp.
#include "schedules/patterns/bucket.hpp"

#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm bucket;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

extern constinit const Algorithm bucket = AsIn<reduce_scatter::bucket>::algorithm({
    .collective = Collective::reduce_scatter_block,
    .name = "bucket",
    .idea = "a ring in each dimension of $dims in turn",
    .source = "Jain and Sabharwal, Optimal Bucket Algorithms, ICS 2010; Barnett et al., SHPCC 1994",
    .cost = "D alpha + (p-1)/p n (beta + gamma) with one channel, where D is the sum of (size - 1) "
            "over $dims",
    .options = bit(Option::channels) | bit(Option::dims),
    .own_numbers = {&kOneChannel, 1},
    .limits = kBucketLimits,
    .has_alike_rounds = true,
});

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
