// Pairwise all-to-all as MPICH runs it. If p is a power of two, partners r and r xor k exchange in
// step k. Otherwise rank r sends to rank r + k and receives from rank r - k, as in
// alltoall/pairwise. Blocks are numbered by distance.
//
// Source: MPICH 4.0, src/mpi/coll/alltoall/alltoall_intra_pairwise.c; Thakur, Rabenseifner and
// Gropp, IJHPCA 19(1), 2005 (their n does not include a rank's own block).
#include <bit>

#include "schedules/patterns/pairwise_alltoall.hpp"

namespace tutti { inline namespace schedules { namespace alltoall {

namespace {

RankSymmetry symmetry(const Problem& problem) {
  return std::has_single_bit(problem.ranks) ? exchange_of_even_blocks(problem) : rotation(problem);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  emit_pairwise_alltoall(builder,
                         [p, exchanges = std::has_single_bit(p)](Rank rank, std::uint32_t step) {
                           return exchanges ? rank ^ step : (rank + step) % p;
                         });
}

}  // namespace

extern const Algorithm pairwise_exchange{
    .collective = Collective::alltoall,
    .name = "pairwise_exchange",
    .idea = "in round k ranks r and r xor (k+1) exchange; like pairwise if p is not a power of two",
    .source = "MPICH 4.0 alltoall_intra_pairwise",
    .cost = "(p-1) alpha + (p-1)/p n beta",
    .layout = block_per_rank,
    .exact_s = pairwise_alltoall_s,
    .symmetry = symmetry,
    .emit = emit,
    .has_alike_rounds_in_part = true,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::alltoall
