// Pairwise all-to-all: in step k rank r sends block k, numbered by distance, to rank r + k and
// receives from rank r - k.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005 (their n does not include a rank's own
// block).
#include "schedules/patterns/pairwise_alltoall.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_pairwise_alltoall(builder, [p = problem.ranks](Rank rank, std::uint32_t step) {
    return rank + step < p ? rank + step : rank + step - p;
  });
}

}  // namespace

extern const Algorithm pairwise{
    .collective = Collective::alltoall,
    .name = "pairwise",
    .idea = "in round k rank r sends to rank r+k+1 and receives from rank r-k-1",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(p-1) alpha + (p-1)/p n beta",
    .layout = block_per_rank,
    .exact_s = pairwise_alltoall_s,
    .symmetry = rotation,
    .emit = emit,
    .has_alike_rounds_in_part = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall
