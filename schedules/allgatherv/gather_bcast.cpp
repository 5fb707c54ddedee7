// Allgather of blocks of any sizes in two: a gather to rank 0, and when all of it is there, a
// broadcast of the whole. By default both over the binomial tree; --parts names others.
//
// Source: Open MPI 4.1, ompi/mca/coll/base/coll_base_allgatherv.c
// (ompi_coll_base_allgatherv_intra_basic_default), which calls whatever gatherv and broadcast its
// communicator has at the moment; its gatherv is linear.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/composition.hpp"

namespace tutti::inline schedules::allgatherv {

namespace {

std::optional<Sentence> refusal(const Problem& problem) { return Composition::refusal(problem); }

BlockLayout layout(const Problem& problem) { return Composition(problem).layout(); }

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return problem.block_bytes.empty() ? Composition(problem).exact_s(prices) : std::nullopt;
}

void emit(const Problem& problem, ScheduleBuilder& builder) { Composition(problem).emit(builder); }

}  // namespace

extern const Algorithm gather_bcast{
    .collective = Collective::allgatherv,
    .name = "gather_bcast",
    .idea = "gather to rank 0, then broadcast from it: over binomial trees, or by $parts",
    .source = "Open MPI coll/base allgatherv_intra_basic_default",
    .cost =
        "2 ceil(lg p) alpha + ((p-1)/p + ceil(lg p)) n beta over binomial trees, for equal blocks",
    .options = bit(Option::parts) | bit(Option::cuts) | bit(Option::block_sizes),
    .refusal = refusal,
    .limits = Composition::kLimits,
    .layout = layout,
    .exact_s = exact_s,
    .emit = emit,
};

}  // namespace tutti::inline schedules::allgatherv
