// Recursive exchange allgather, far ranks first: ranks are numbers in base K; those that differ in
// the last digit exchange what they have, then those that differ in the one before it, K - 1
// messages each way at once, so that the long messages go to near ranks. For what a rank has to be
// one piece, each block goes to the rank of the mirrored number before. Ranks that are too many
// give their blocks to a proxy first, the K - 1 before it, and get all from it at the end.
//
// Source: MPICH 4.1, src/mpi/coll/allgather/allgather_intra_recexch.c (recexch_halving); in 4.0 the
// non-blocking iallgather_tsp_recexch.c. After Sack and Gropp, "Faster topology-aware collective
// algorithms through non-minimal communication", PPoPP 2012.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::allgather {

namespace {

KaryHypercube cube_of(const Problem& problem) {
  return {problem.ranks, kRadix2.of(problem), KaryHypercube::Extras::before_proxy};
}

// Of a group of the last digit at most one rank keeps its block, and waits for the others.
std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const KaryHypercube cube = cube_of(problem);
  const std::optional<double> exchanges_s = digit_allgather_s(cube, problem, prices);
  if (!exchanges_s || cube.digits() <= 1) {
    return exchanges_s;
  }
  return *exchanges_s + prices.alpha_s +
         static_cast<double>(problem.bytes) / problem.ranks * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_mirrored_digit_allgather(cube_of(problem), builder);
}

std::string_view same_as(const Problem& problem) {
  return cube_of(problem).digits() <= 1 ? "recursive_exchange" : "";
}

}  // namespace

extern const Algorithm recursive_exchange_halving{
    .collective = Collective::allgather,
    .name = "recursive_exchange_halving",
    .idea =
        "after blocks changed places, ranks that differ in one digit of base K exchange all they "
        "have, far ones first",
    .source = "MPICH 4.1 allgather_intra_recexch, distance halving",
    .cost = "(m (K - 1) + 1) alpha + n beta for p = K^m, m > 1",
    .keeps_order = nullptr,
    .options = static_cast<unsigned>(Option::radix),
    .own_numbers = {&kRadix2, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
    .same_as = same_as,
};

}  // namespace tutti::inline schedules::allgather
