// Rabenseifner's reduce: a reduce-scatter by recursive vector halving and distance doubling, then a
// gather to the root over the same exchanges in reverse. If p is not a power of two, pairs of
// neighbours are first folded by halves, as in allreduce/rabenseifner; of the root's pair, it is
// the root that takes part in the exchanges.
//
// Source: Rabenseifner, "Optimization of collective reduction operations", ICCS 2004; Thakur,
// Rabenseifner and Gropp, IJHPCA 19(1), 2005. Partners combine sums over consecutive ranks, with
// the lower ranks on the left, so the order of ranks is kept for any root.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/halving_cube.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double exchanges_s = HalvingCube::exchanges_s(problem, prices);
  if (problem.ranks == power_of_two_below(problem.ranks)) {
    return exchanges_s;
  }
  const double n = static_cast<double>(problem.bytes);
  const double base = power_of_two_below(problem.ranks);
  // In Open MPI, an odd root waits for one more block.
  const double late_s = problem.cuts == Cuts::open_mpi && problem.root % 2 != 0 &&
                                problem.root < 2 * (problem.ranks - base)
                            ? prices.alpha_s + n / base * prices.beta_s_per_byte
                            : 0;
  return exchanges_s + late_s + 2 * prices.alpha_s + n * prices.beta_s_per_byte +
         n / 2 * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  using Joining = HalvingCube::Joining;
  HalvingCube cube(problem, builder, HalvingCube::End::at_root,
                   problem.cuts == Cuts::open_mpi ? Joining::halves_to_even : Joining::halves);
  cube.fold();
  cube.reduce_scatter();
  cube.gather_to_root();
}

}  // namespace

extern const Algorithm rabenseifner{
    .collective = Collective::reduce,
    .name = "rabenseifner",
    .idea = "reduce-scatter by recursive halving, then gather to the root",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; Rabenseifner, ICCS 2004",
    .cost =
        "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = p'; else the same with p' for p, "
        "plus 2 alpha + n beta + n/2 gamma",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::cuts),
    .refusal = HalvingCube::refusal,
    .limits = HalvingCube::limits(true),
    .layout = HalvingCube::layout,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce
