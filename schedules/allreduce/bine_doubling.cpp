// Bine allreduce for short vectors: in step s partners of the Bine butterfly exchange whole vectors
// and combine them. If p is not a power of two, each extra rank first gives its vector to the next
// rank, and gets the result from that rank at the end.
//
// Source: De Sensi et al., "Bine Trees", SC'25, arXiv 2508.17311; libbine
// (github.com/HLC-Lab/pico), libbine/libbine_allreduce.c, allreduce_bine_lat; De Sensi et al.,
// "Swing: Short-cutting Rings for Higher Bandwidth Allreduce", NSDI'24.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/bine.hpp"
#include "schedules/patterns/fold_in.hpp"
#include "schedules/patterns/hypercube_fold.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr BlockSet kWhole{0, 1};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const HypercubeFold cube(problem.ranks, Fold::neighbours);
  const double n = static_cast<double>(problem.bytes);
  const double folds = cube.extras() > 0 ? 2 : 0;
  const double steps = cube.dimensions();
  return (steps + folds) * (prices.alpha_s + n * prices.beta_s_per_byte) +
         (steps + folds / 2) * n * prices.gamma_s_per_byte;
}

// In a butterfly of up to four ranks, partners always hold sums over adjacent ranges of ranks. In a
// butterfly of eight ranks, they do not.
bool keeps_order(const Problem& problem) { return problem.ranks < 8; }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const HypercubeFold cube(problem.ranks, Fold::neighbours);
  const std::uint32_t base_ranks = cube.base_ranks();
  const std::size_t exchanges = std::size_t{base_ranks} * cube.dimensions();
  builder.reserve(2 * exchanges + 3 * std::size_t{cube.extras()},
                  6 * exchanges + 8 * std::size_t{cube.extras()});
  Rounds rounds(builder);
  fold_in(rounds, cube, kWhole);
  for (std::uint32_t step = 0; step < cube.dimensions(); ++step) {
    rounds.next();
    for (std::uint32_t v = 0; v < base_ranks; ++v) {
      rounds.comm(cube.base(v), cube.base(bine_partner(v, step, base_ranks)),
                  {kWhole, kWork, kScratch});
    }
    for (std::uint32_t v = 0; v < base_ranks; ++v) {
      const Rank rank = cube.base(v);
      rounds.reduce(rank, {kWhole, kScratch, kWork},
                    bine_partner(v, step, base_ranks) < v ? Operand::left : Operand::right,
                    rounds.sent(rank));
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

extern const Algorithm bine_doubling{
    .collective = Collective::allreduce,
    .name = "bine_doubling",
    .idea = "partners at distance 1, 1, 3, 5, 11, ... exchange and combine whole vectors",
    .source = "De Sensi et al., Bine Trees, SC'25, arXiv 2508.17311; Swing, NSDI'24",
    .cost =
        "lg p (alpha + n beta + n gamma) for p = p'; else (lg p' + 2)(alpha + n beta) + (lg p' + "
        "1) n gamma",
    .keeps_order = keeps_order,
    .order_kept = "p < 8",
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
