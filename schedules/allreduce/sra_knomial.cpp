// Scatter-reduce-allgather over k-nomial exchanges: ranks are numbers whose digits are of base K,
// the last of a base c that may be less; in phase i those that differ in digit i cut what they
// still have into parts, one for each of them, exchange and combine them, all at once; then they
// take the same exchanges in reverse, and gather the parts. The fewer than K^m ranks that are too
// many for c K^m give their vectors to the rank before them first, and get the result from it at
// the end. Rabenseifner's is K = 2.
//
// Source: UCC, src/components/tl/ucp/allreduce/allreduce_sra_knomial.c and
// src/coll_patterns/sra_knomial.h. Its radix is chosen for the machine; 4 here. UCC cuts every part
// anew: where the ranks do not divide the vector, its messages differ by a few elements.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::allreduce {

namespace {

KaryHypercube cube_of(const Problem& problem) {
  return {problem.ranks, kRadix4.of(problem), KaryHypercube::Extras::after_proxy};
}

BlockLayout layout(const Problem& problem) {
  return BlockLayout::even(problem.elements(), cube_of(problem).base_ranks(),
                           problem.element_bytes);
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return digit_halving_allreduce_s(cube_of(problem), problem, prices);
}

RankSymmetry symmetry(const Problem& problem) {
  return digit_symmetry_of_even_blocks(cube_of(problem), problem);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_digit_halving_allreduce(cube_of(problem), builder);
}

}  // namespace

extern const Algorithm sra_knomial{
    .collective = Collective::allreduce,
    .name = "sra_knomial",
    .idea =
        "a reduce-scatter and an allgather among ranks that differ in one digit of base K, the "
        "last of a smaller base",
    .source = "UCC tl/ucp allreduce_sra_knomial",
    .cost = "2 (m (K - 1) + c - 1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = c K^m, c < K",
    .keeps_order = always,
    .order_kept = "always",
    .options = static_cast<unsigned>(Option::radix),
    .own_numbers = {&kRadix4, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = layout,
    .exact_s = exact_s,
    .symmetry = symmetry,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::inline schedules::allreduce
