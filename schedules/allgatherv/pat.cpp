// PAT allgather of blocks of any sizes.
//
// Source: see patterns/pat.hpp.
#include "schedules/patterns/as_in.hpp"

namespace tutti::inline schedules {

namespace allgather {
extern const Algorithm pat;
}  // namespace allgather

namespace allgatherv {

extern const Algorithm pat{
    .collective = Collective::allgatherv,
    .name = "pat",
    .idea =
        "far dimensions first, then binomial trees branch by branch, at most K blocks in a message",
    .source = "Jeaugey, PAT, arXiv 2506.20252; NCCL 2.23 include/collectives.h",
    .cost =
        "M alpha + (p-1)/p n beta, M = ceil(lg p) messages with no bound, about (p-1)/K with "
        "$aggregate K, for equal blocks",
    .options = bit(Option::aggregate) | bit(Option::block_sizes),
    .layout = AsIn<allgather::pat>::layout,
    .exact_s = AsIn<allgather::pat>::exact_s,
    .symmetry = AsIn<allgather::pat>::symmetry,
    .emit = AsIn<allgather::pat>::emit,
    .one_shape = AsIn<allgather::pat>::one_shape,
};

}  // namespace allgatherv

}  // namespace tutti::inline schedules
