// The butterfly reduce-scatter of equal blocks, for operators that need not commute. If the number
// of ranks is a power of two, this is reduce_scatter/butterfly_mirrored, in which no block has to
// move at the end; otherwise it is reduce_scatter/butterfly.
//
// Source: Träff, "An Improved Algorithm for (Non-commutative) Reduce-Scatter with an Application",
// EuroPVM/MPI 2005; Open MPI 4.1, ompi/mca/coll/base/coll_base_reduce_scatter_block.c
// (ompi_coll_base_reduce_scatter_block_intra_butterfly and _pof2); MPICH 4.0,
// src/mpi/coll/reduce_scatter_block/reduce_scatter_block_intra_noncommutative.c, for powers of two.
#include <bit>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace schedules {

namespace reduce_scatter {
extern const Algorithm butterfly;
extern const Algorithm butterfly_mirrored;
}  // namespace reduce_scatter

namespace reduce_scatter_block {

namespace {

const Algorithm& model(const Problem& problem) {
  return std::has_single_bit(problem.ranks) ? reduce_scatter::butterfly_mirrored
                                            : reduce_scatter::butterfly;
}

BlockLayout layout(const Problem& problem) { return model(problem).layout(problem); }

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return model(problem).exact_s(problem, prices);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  model(problem).emit(problem, builder);
}

}  // namespace

extern const Algorithm butterfly{
    .collective = Collective::reduce_scatter_block,
    .name = "butterfly",
    .idea =
        "partners at distance 1, 2, 4, ... send each other the half of their blocks that the "
        "receiver keeps; if p is a power of two, these are every second, fourth, ... block",
    .source =
        "Träff, EuroPVM/MPI 2005; Open MPI coll/base reduce_scatter_block_intra_butterfly; MPICH "
        "reduce_scatter_block_intra_noncommutative",
    .cost = "lg p alpha + (p-1)/p n (beta + gamma) for p = p'; else like reduce_scatter/butterfly",
    .keeps_order = always,
    .order_kept = "always",
    .layout = layout,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace reduce_scatter_block

}}  // namespace tutti::schedules
