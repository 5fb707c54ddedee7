// Neighbour exchange of blocks of any sizes, for even numbers of ranks: ranks exchange pairs of
// blocks with the neighbour on the left and on the right in turn.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_allgatherv.c
// (ompi_coll_base_allgatherv_intra_neighborexchange).
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm neighbor_exchange;
}  // namespace allgather

namespace allgatherv {

namespace {

using Model = AsIn<allgather::neighbor_exchange>;

constexpr std::array<std::string_view, 1> kLimits{"an odd number of ranks above 1"};

}  // namespace

extern constinit const Algorithm neighbor_exchange = Model::algorithm({
    .collective = Collective::allgatherv,
    .name = "neighbor_exchange",
    .idea =
        "neighbours exchange pairs of blocks, alternately with the left and the right neighbour",
    .source = "Open MPI coll/base allgatherv_intra_neighborexchange",
    .cost = "p/2 alpha + (p-1)/p n beta for equal blocks",
    .options = bit(Option::block_sizes),
    .limits = kLimits,
    .has_alike_rounds = true,
});

}  // namespace allgatherv

}}  // namespace tutti::schedules
