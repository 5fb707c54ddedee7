// MPICH's form of Rabenseifner's reduce: a reduce-scatter by recursive vector halving and distance
// doubling, then a gather to the root over the same exchanges in reverse. Let p' be the largest
// power of two up to p. In each pair of neighbours 2i and 2i+1 of the first 2(p-p') ranks, the odd
// rank sends its whole vector to the even one. If the odd rank is the root, rank 0 sends its part
// to the root after the reduce-scatter, and the root takes rank 0's place.
//
// Source: MPICH 4.0, src/mpi/coll/reduce/reduce_intra_reduce_scatter_gather.c; Thakur, Rabenseifner
// and Gropp, IJHPCA 19(1), 2005. MPICH uses this algorithm only for the built-in operators of MPI,
// but it keeps the order of ranks for any operator.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/halving_cube.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double n = static_cast<double>(problem.bytes);
  const std::uint32_t base_ranks = power_of_two_below(problem.ranks);
  double seconds = HalvingCube::exchanges_s(problem, prices);
  const std::uint32_t removed = problem.ranks - base_ranks;
  if (removed > 0) {
    seconds += prices.alpha_s + n * (prices.beta_s_per_byte + prices.gamma_s_per_byte);
  }
  if (problem.root < 2 * removed && problem.root % 2 == 1) {
    seconds += prices.alpha_s + n / base_ranks * prices.beta_s_per_byte;
  }
  return seconds;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  HalvingCube cube(problem, builder, HalvingCube::End::at_root,
                   HalvingCube::Joining::whole_to_even);
  cube.fold();
  cube.reduce_scatter();
  cube.gather_to_root();
}

}  // namespace

extern const Algorithm reduce_scatter_gather{
    .collective = Collective::reduce,
    .name = "reduce_scatter_gather",
    .idea = "Rabenseifner's algorithm, folding whole vectors if p is not a power of two",
    .source = "MPICH 4.0 reduce_intra_reduce_scatter_gather",
    .cost =
        "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = p'; else (2 lg p' + 1) alpha + "
        "(3 - 2/p') n beta + (2 - 1/p') n gamma, plus alpha + n/p' beta if the root is an odd rank "
        "that is folded",
    .keeps_order = always,
    .order_kept = "always",
    .refusal = HalvingCube::refusal,
    .limits = HalvingCube::limits(false),
    .layout = HalvingCube::layout,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce
