// MPICH's form of Rabenseifner's allreduce: a reduce-scatter by recursive vector halving and
// distance doubling, then an allgather by the same exchanges in reverse. Let p' be the largest
// power of two up to p. In each pair of neighbours 2i and 2i+1 of the first 2(p-p') ranks, the even
// rank sends its whole vector to the odd one and waits for the result; allreduce/rabenseifner
// divides this work between the two.
//
// Source: MPICH 4.0, src/mpi/coll/allreduce/allreduce_intra_reduce_scatter_allgather.c; Thakur,
// Rabenseifner and Gropp, IJHPCA 19(1), 2005. MPICH uses this algorithm only for the built-in
// operators of MPI, but it keeps the order of ranks for any operator.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/halving_cube.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double exchanges_s = HalvingCube::exchanges_s(problem, prices);
  if (problem.ranks == power_of_two_below(problem.ranks)) {
    return exchanges_s;
  }
  const double n = static_cast<double>(problem.bytes);
  return exchanges_s + 2 * prices.alpha_s + 2 * n * prices.beta_s_per_byte +
         n * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  HalvingCube cube(problem, builder, HalvingCube::End::everywhere,
                   HalvingCube::Joining::whole_to_odd);
  cube.fold();
  cube.reduce_scatter();
  cube.allgather();
  cube.unfold();
}

}  // namespace

extern const Algorithm reduce_scatter_allgather{
    .collective = Collective::allreduce,
    .name = "reduce_scatter_allgather",
    .idea = "Rabenseifner's algorithm, folding whole vectors if p is not a power of two",
    .source = "MPICH 4.0 allreduce_intra_reduce_scatter_allgather",
    .cost =
        "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = p'; else (2 lg p' + 2) alpha + "
        "(4 - 2/p') n beta + (2 - 1/p') n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .refusal = HalvingCube::refusal,
    .limits = HalvingCube::limits(false),
    .layout = HalvingCube::layout,
    .exact_s = exact_s,
    .symmetry = exchange_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
