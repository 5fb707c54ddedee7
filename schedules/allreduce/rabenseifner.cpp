// Rabenseifner's allreduce: a reduce-scatter by recursive vector halving and distance doubling,
// then an allgather that makes the same exchanges in reverse. If p is not a power of two, pairs of
// neighbours 2i and 2i+1 are first folded into one rank each: the two exchange half vectors, and
// each reduces one half; then the odd rank sends its half to the even one and waits for the result.
//
// Source: Rabenseifner, "Optimization of collective reduction operations", ICCS 2004, as Open MPI's
// libnbc (nbc_iallreduce.c) describes it. That description allows commutative operators only; here
// partners combine sums over consecutive ranks, with the lower ranks on the left, so the order of
// ranks is kept. Each rank needs one scratch vector.
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
  return exchanges_s + 3 * prices.alpha_s + 2 * n * prices.beta_s_per_byte +
         n / 2 * prices.gamma_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  HalvingCube cube(problem, builder, HalvingCube::End::everywhere);
  cube.fold();
  cube.reduce_scatter();
  cube.allgather();
  cube.unfold();
}

}  // namespace

extern const Algorithm rabenseifner{
    .collective = Collective::allreduce,
    .name = "rabenseifner",
    .idea = "reduce-scatter by recursive halving, then allgather by recursive doubling",
    .source = "Rabenseifner, ICCS 2004; Open MPI coll/libnbc nbc_iallreduce",
    .cost =
        "2 lg p alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = p'; else (2 lg p' + 3) alpha + "
        "(4 - 2/p') n beta + (3/2 - 1/p') n gamma",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::cuts),
    .refusal = HalvingCube::refusal,
    .limits = HalvingCube::limits(true),
    .remark =
        "the source handles commutative operators and intra-communicators only; this schedule "
        "keeps rank order, and tutti has no inter-communicators",
    .layout = HalvingCube::layout,
    .exact_s = exact_s,
    .symmetry = exchange_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
