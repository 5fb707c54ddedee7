// Recursive doubling allreduce: at level l partners whose numbers differ in bit l exchange their
// whole vectors and combine them, with the lower rank's vector on the left. If p is not a power of
// two, each extra rank first gives its vector to a proxy, and gets the result from the proxy at the
// end.
//
// With --operands received_first every rank puts the received vector on the left, as MPICH does if
// the operator is commutative. Partners with the vectors x and y then compute y + x and x + y,
// which are bitwise equal for the operators of MPI, so all ranks still have the same result.
//
// Source: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
// MPICH", IJHPCA 19(1), 2005. The fold of neighbours is from MPICH. The far fold, which pairs rank
// n with rank n - p' (p' is the largest power of two up to p), is from [schedule document].
#include <array>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/fold_in.hpp"
#include "schedules/patterns/hypercube_fold.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr BlockSet kWhole{0, 1};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const HypercubeFold cube(problem.ranks, problem.fold);
  const double n = static_cast<double>(problem.bytes);
  const double folds = cube.extras() > 0 ? 2 : 0;
  const double levels = cube.dimensions();
  return (levels + folds) * (prices.alpha_s + n * prices.beta_s_per_byte) +
         (levels + folds / 2) * n * prices.gamma_s_per_byte;
}

// Each partial result in the hypercube is a sum over consecutive ranks, unless the far fold was
// used.
bool keeps_order(const Problem& problem) {
  return problem.operands == Operands::by_rank &&
         (problem.fold == Fold::neighbours ||
          HypercubeFold(problem.ranks, problem.fold).extras() == 0);
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const HypercubeFold cube(problem.ranks, problem.fold);
  const std::size_t exchanges = std::size_t{cube.base_ranks()} * cube.dimensions();
  builder.reserve(2 * exchanges + 3 * std::size_t{cube.extras()},
                  6 * exchanges + 8 * std::size_t{cube.extras()});
  Rounds rounds(builder);
  const auto combine = [&](Rank rank, Rank from) {
    const bool left = problem.operands == Operands::received_first || from < rank;
    rounds.reduce(rank, {kWhole, kScratch, kWork}, left ? Operand::left : Operand::right,
                  rounds.sent(rank));
  };

  fold_in(rounds, cube, kWhole);
  for (std::uint32_t level = 0; level < cube.dimensions(); ++level) {
    rounds.next();
    for (const std::uint32_t v : builder.emitted_ranks(cube.base_ranks())) {
      rounds.comm(cube.base(v), cube.base(v ^ 1U << level), {kWhole, kWork, kScratch});
    }
    for (const std::uint32_t v : builder.emitted_ranks(cube.base_ranks())) {
      combine(cube.base(v), cube.base(v ^ 1U << level));
    }
  }
  if (cube.extras() > 0) {
    rounds.next();
    for (std::uint32_t i = 0; i < cube.extras(); ++i) {
      rounds.comm(cube.proxy(i), cube.extra(i), {kWhole, kWork, kWork});
    }
  }
}

}  // namespace

extern const Algorithm recursive_doubling{
    .collective = Collective::allreduce,
    .name = "recursive_doubling",
    .idea = "partners at distance 1, 2, 4, ... exchange and combine whole vectors",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; [schedule document]",
    .cost =
        "lg p (alpha + n beta + n gamma) for p = p'; else (lg p' + 2)(alpha + n beta) + "
        "(lg p' + 1) n gamma",
    .keeps_order = keeps_order,
    .order_kept = "$operands by_rank with $fold neighbours, or with p = p'",
    .options = bit(Option::fold) | bit(Option::operands),
    .layout = one_block,
    .exact_s = exact_s,
    .symmetry = exchange,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
