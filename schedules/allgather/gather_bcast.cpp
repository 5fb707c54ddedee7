// Allgather in two steps: a gather to rank 0, and when the gather is complete, a broadcast of the
// whole vector. Both use the binomial tree by default; --parts selects other algorithms.
//
// Source: Open MPI coll/base allgather_intra_basic_linear, which calls the gather and the broadcast
// that are selected for the communicator, whether they are linear or not.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/composition.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

extern constinit const Algorithm gather_bcast = ComposedAlgorithm::algorithm({
    .collective = Collective::allgather,
    .name = "gather_bcast",
    .idea = "gather to rank 0, then broadcast from it; both over binomial trees, unless $parts "
            "selects other algorithms",
    .source = "Open MPI coll/base allgather_intra_basic_linear",
    .cost = "2 ceil(lg p) alpha + ((p-1)/p + ceil(lg p)) n beta over binomial trees",
});

}}}  // namespace tutti::schedules::allgather
