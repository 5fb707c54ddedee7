// Bucket allgather: a ring allgather in each dimension of a torus, one dimension after the other.
// Each ring moves all blocks that the earlier rings have collected.
//
// Source: see patterns/bucket.hpp.
#include "schedules/patterns/bucket.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

extern constinit const Algorithm bucket = BucketOf<false, true>::algorithm({
    .collective = Collective::allgather,
    .name = "bucket",
    .idea = "a ring in each dimension of $dims in turn, starting with the last",
    .source = "Jain and Sabharwal, Optimal Bucket Algorithms, ICS 2010; Barnett et al., SHPCC 1994",
    .cost =
        "D alpha + (p-1)/p n beta with one channel, where D is the sum of (size - 1) over $dims",
});

}}}  // namespace tutti::schedules::allgather
