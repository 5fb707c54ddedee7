// Bucket allreduce: the bucket reduce-scatter over all dimensions of a torus, then the bucket
// allgather in reverse order. With two --channels per dimension all links of the torus are always
// in use. With a single dimension, two channels are a ring in both directions.
//
// Source: see patterns/bucket.hpp.
#include "schedules/patterns/bucket.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

extern constinit const Algorithm bucket = BucketOf<true, true>::algorithm({
    .collective = Collective::allreduce,
    .name = "bucket",
    .idea = "rings in each dimension of $dims: a reduce-scatter, then an allgather in reverse",
    .source = "Jain and Sabharwal, Optimal Bucket Algorithms, ICS 2010; Barnett et al., SHPCC 1994",
    .cost = "2 D alpha + 2(p-1)/p n beta + (p-1)/p n gamma with one channel, where D is the sum of "
            "(size - 1) over $dims",
});

}}}  // namespace tutti::schedules::allreduce
