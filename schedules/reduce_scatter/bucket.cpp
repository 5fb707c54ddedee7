// Bucket reduce-scatter: a ring reduce-scatter in each dimension of a torus, one dimension after
// the other. The ring in a dimension leaves each rank with the blocks of all ranks that have the
// same coordinate as this rank in that dimension.
//
// Source: see patterns/bucket.hpp.
#include "schedules/patterns/bucket.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

extern constinit const Algorithm bucket = BucketOf<true, false>::algorithm({
    .collective = Collective::reduce_scatter,
    .name = "bucket",
    .idea = "a ring in each dimension of $dims in turn",
    .source = "Jain and Sabharwal, Optimal Bucket Algorithms, ICS 2010; Barnett et al., SHPCC 1994",
    .cost = "D alpha + (p-1)/p n (beta + gamma) with one channel, where D is the sum of (size - 1) "
            "over $dims",
    .options = bit(Option::block_sizes),
});

}}}  // namespace tutti::schedules::reduce_scatter
