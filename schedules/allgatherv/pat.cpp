// PAT allgather of blocks of any sizes.
//
// Source: see patterns/pat.hpp.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm pat;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm pat = AsIn<allgather::pat>::algorithm({
    .collective = Collective::allgatherv,
    .name = "pat",
    .idea = "blocks travel over far dimensions first, then down binomial trees branch by branch, "
            "with at most K blocks in a message",
    .source = "Jeaugey, PAT, arXiv 2506.20252; NCCL 2.23 include/collectives.h",
    .cost = "M alpha + (p-1)/p n beta for equal blocks; the number of messages M is ceil(lg p) by "
            "default, and about (p-1)/K with $aggregate K",
    .options = bit(Option::aggregate) | bit(Option::block_sizes),
    .symmetry = AsIn<allgather::pat>::symmetry,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
