// Recursive k-nomial barrier: ranks are numbers whose digits are of base K, the last of a base c
// that may be less; in phase i those that differ in digit i exchange signs, all at once. The fewer
// than K^m ranks that are too many for c K^m sign to the rank before them first, and hear from it
// at the end.
//
// Source: UCC, src/components/tl/ucp/barrier/barrier_knomial.c, whose default is K = 8, and
// src/coll_patterns/recursive_knomial.h.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti::inline schedules::barrier {

namespace {

KaryHypercube cube_of(const Problem& problem) {
  return {problem.ranks, kRadix8.of(problem), KaryHypercube::Extras::after_proxy};
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return digit_barrier_s(cube_of(problem), prices);
}

RankSymmetry symmetry(const Problem& problem) { return digit_symmetry(cube_of(problem), problem); }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  emit_digit_barrier(cube_of(problem), builder);
}

}  // namespace

extern const Algorithm knomial{
    .collective = Collective::barrier,
    .name = "knomial",
    .idea = "ranks that differ in one digit of base K, the last of a smaller base, exchange signs",
    .source = "UCC tl/ucp barrier_knomial",
    .cost = "(m (K - 1) + c - 1) alpha for p = c K^m, c < K",
    .keeps_order = nullptr,
    .options = static_cast<unsigned>(Option::radix),
    .own_numbers = {&kRadix8, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = one_block,
    .exact_s = exact_s,
    .symmetry = symmetry,
    .emit = emit,
};

}  // namespace tutti::inline schedules::barrier
