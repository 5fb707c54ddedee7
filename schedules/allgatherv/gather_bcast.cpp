// Allgather of blocks of any sizes in two steps: a gather to rank 0, and when the gather is
// complete, a broadcast of the whole vector. Both use the binomial tree by default; --parts selects
// other algorithms.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_allgatherv.c
// (ompi_coll_base_allgatherv_intra_basic_default), which calls the gatherv and the broadcast that
// are selected for the communicator; Open MPI's gatherv is linear.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/composition.hpp"

namespace tutti { inline namespace schedules { namespace allgatherv {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return problem.block_bytes.empty() ? Composition(problem).exact_s(prices) : std::nullopt;
}

}  // namespace

extern constinit const Algorithm gather_bcast = ComposedAlgorithm::algorithm({
    .collective = Collective::allgatherv,
    .name = "gather_bcast",
    .idea = "gather to rank 0, then broadcast from it; both over binomial trees, unless $parts "
            "selects other algorithms",
    .source = "Open MPI coll/base allgatherv_intra_basic_default",
    .cost =
        "2 ceil(lg p) alpha + ((p-1)/p + ceil(lg p)) n beta over binomial trees, for equal blocks",
    .options = bit(Option::block_sizes),
    .exact_s = exact_s,
});

}}}  // namespace tutti::schedules::allgatherv
