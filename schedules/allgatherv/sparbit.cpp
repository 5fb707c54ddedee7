// Sparbit's allgather of blocks of any sizes: over decreasing distances 2^k each rank sends all
// blocks that it has and that the receiver lacks, each in a message of its own.
//
// Source: Open MPI 5.0, ompi/mca/coll/base/coll_base_allgatherv.c
// (ompi_coll_base_allgatherv_intra_sparbit).
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm sparbit;
}  // namespace allgather

namespace allgatherv {

namespace {

using Model = AsIn<allgather::sparbit>;

}  // namespace

extern constinit const Algorithm sparbit = Model::algorithm({
    .collective = Collective::allgatherv,
    .name = "sparbit",
    .idea = "at decreasing distances 2^k, each rank sends the blocks that it has, one per message",
    .source = "Open MPI 5.0 coll/base allgatherv_intra_sparbit",
    .cost = "(p-1)(alpha + n/p beta) for equal blocks, in ceil(lg p) steps of messages at once",
    .options = bit(Option::block_sizes),
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
