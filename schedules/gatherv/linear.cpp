// Linear gather of blocks of any sizes: every rank sends its block to the root, in rank order.
//
// Source: Open MPI 4.1, ompi/mca/coll/basic/coll_basic_gatherv.c (mca_coll_basic_gatherv_intra);
// MPICH 4.0, src/mpi/coll/gatherv/gatherv_allcomm_linear.c. Both leave out the messages of ranks
// that have nothing; here these are empty messages.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace gather {
extern const Algorithm linear;
}  // namespace gather

namespace gatherv {

extern constinit const Algorithm linear = AsIn<gather::linear>::algorithm({
    .collective = Collective::gatherv,
    .name = "linear",
    .idea = "every rank sends its block to the root",
    .source = "Open MPI coll/basic gatherv_intra; MPICH gatherv_allcomm_linear",
    .cost = "(p-1)(alpha + n/p beta) for equal blocks",
    .options = bit(Option::block_sizes),
});

}  // namespace gatherv

}}  // namespace tutti::schedules
