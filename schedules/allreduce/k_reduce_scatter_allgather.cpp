// Reduce-scatter and allgather by recursive exchange. Let K^m be the largest power of K (--radix, 2
// by default) up to p. The algorithm numbers K^m of the p ranks in base K. In phase i the ranks
// that differ in digit i divide the part of the vector that they still have among each other: each
// receives its piece from the others, all at once, and combines it with its own. Then the same
// exchanges in reverse gather the results. The other ranks first give their vectors to a proxy,
// which acts for up to K - 1 ranks just before it, and get the result from the proxy at the end.
// With K = 2, this is Rabenseifner's algorithm.
//
// Source: MPICH 4.1, src/mpi/coll/allreduce/allreduce_intra_k_reduce_scatter_allgather.c; in 4.0
// the non-blocking iallreduce_tsp_recexch_reduce_scatter_recexch_allgatherv.c. In the
// reduce-scatter, each rank in MPICH exchanges with one rank after the other. MPICH requires
// operators that commute; here the order is kept. With --cuts mpich, the last part includes the
// remainder of a vector that cannot be divided evenly.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/recursive_exchange.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

KaryHypercube cube_of(const Problem& problem) {
  return {problem.ranks, kRadix2.of(problem), KaryHypercube::Extras::before_proxy};
}

std::optional<Sentence> refusal(const Problem& problem) {
  if (problem.cuts == Cuts::open_mpi) {
    return Sentence(
        "$cuts open_mpi does not apply: Open MPI does not have this algorithm; leave $cuts out");
  }
  return refuse_radix_1(problem);
}
constexpr std::array<std::string_view, 2> kLimits{kRadix1.front(), "$cuts open_mpi"};

BlockLayout layout(const Problem& problem) {
  const std::uint32_t parts = cube_of(problem).base_ranks();
  if (problem.cuts != Cuts::mpich) {
    return BlockLayout::even(problem.elements(), parts, problem.element_bytes);
  }
  std::vector<std::uint64_t> sizes(parts, problem.elements() / parts);
  sizes.back() += problem.elements() % parts;
  return BlockLayout::irregular(sizes, problem.element_bytes);
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

std::string_view same_as(const Problem& problem) {
  const KaryHypercube cube = cube_of(problem);
  return cube.radix() == 2 && problem.cuts == Cuts::even && problem.elements() >= cube.base_ranks()
             ? "reduce_scatter_allgather"
             : "";
}

}  // namespace

extern const Algorithm k_reduce_scatter_allgather{
    .collective = Collective::allreduce,
    .name = "k_reduce_scatter_allgather",
    .idea = "a reduce-scatter and an allgather among ranks that differ in one digit of base K",
    .source = "MPICH 4.1 allreduce_intra_k_reduce_scatter_allgather",
    .cost =
        "2 m (K - 1) alpha + 2(p-1)/p n beta + (p-1)/p n gamma for p = K^m; 2 (m + 1) alpha + (2 - "
        "1/2^m)(2 n beta + n gamma) for other p with K = 2",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::radix) | bit(Option::cuts),
    .own_numbers = {&kRadix2, 1},
    .refusal = refusal,
    .limits = kLimits,
    .layout = layout,
    .exact_s = exact_s,
    .symmetry = symmetry,
    .emit = emit,
    .one_shape = always,
    .same_as = same_as,
};

}}}  // namespace tutti::schedules::allreduce
