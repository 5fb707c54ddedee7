// Recursive doubling allgather of blocks of any sizes: at level l partners whose numbers differ in
// bit l exchange all blocks of their groups of 2^l ranks; ranks without a partner get these blocks
// through a tree.
//
// Source: MPICH 4.0, src/mpi/coll/allgatherv/allgatherv_intra_recursive_doubling.c.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace allgather {
extern const Algorithm recursive_doubling;
}  // namespace allgather

namespace allgatherv {

extern constinit const Algorithm recursive_doubling =
    AsIn<allgather::recursive_doubling>::algorithm({
        .collective = Collective::allgatherv,
        .name = "recursive_doubling",
        .idea = "partners at distance 1, 2, 4, ... exchange all they have; ranks without a partner "
                "get blocks over a tree",
        .source = "MPICH allgatherv_intra_recursive_doubling",
        .cost = "lg p alpha + (p-1)/p n beta for p = p' and equal blocks",
        .options = bit(Option::block_sizes),
        .symmetry = AsIn<allgather::recursive_doubling>::symmetry,
    });

}  // namespace allgatherv

}}  // namespace tutti::schedules
