// Linear scatter of blocks of any sizes: the root sends every rank its block, in rank order.
//
// Source: Open MPI 4.1, ompi/mca/coll/basic/coll_basic_scatterv.c (mca_coll_basic_scatterv_intra);
// MPICH 4.0, src/mpi/coll/scatterv/scatterv_allcomm_linear.c. Both leave out the messages to ranks
// that get nothing; here these are empty messages.
#include "schedules/patterns/as_in.hpp"

namespace tutti { inline namespace schedules {

namespace scatter {
extern const Algorithm linear;
}  // namespace scatter

namespace scatterv {

extern constinit const Algorithm linear = AsIn<scatter::linear>::algorithm({
    .collective = Collective::scatterv,
    .name = "linear",
    .idea = "the root sends every rank its block",
    .source = "Open MPI coll/basic scatterv_intra; MPICH scatterv_allcomm_linear",
    .cost = "(p-1)(alpha + n/p beta) for equal blocks",
    .options = bit(Option::block_sizes),
});

}  // namespace scatterv

}}  // namespace tutti::schedules
