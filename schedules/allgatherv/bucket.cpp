// Bucket allgather of blocks of any sizes.
//
// Source: see patterns/bucket.hpp.
#include "schedules/patterns/bucket.hpp"

#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm bucket;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm bucket = AsIn<allgather::bucket>::algorithm({
    .collective = Collective::allgatherv,
    .name = "bucket",
    .idea = "a ring in each dimension of $dims in turn, starting with the last",
    .source = "Jain and Sabharwal, Optimal Bucket Algorithms, ICS 2010; Barnett et al., SHPCC 1994",
    .cost = "D alpha + (p-1)/p n beta with one channel and equal blocks, where D is the sum of "
            "(size - 1) over $dims",
    .options = bit(Option::channels) | bit(Option::dims) | bit(Option::block_sizes),
    .own_numbers = {&kOneChannel, 1},
    .limits = kBucketLimits,
    .has_alike_rounds = true,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
