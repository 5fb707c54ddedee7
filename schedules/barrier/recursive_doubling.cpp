// Recursive doubling barrier ("constant message size"): at level l partners whose numbers differ in
// bit l exchange signals. If p is not a power of two, each extra rank first sends a signal to a
// proxy, and receives one from the proxy at the end.
//
// Source: [schedule document]. --fold far selects the fold of that document, which pairs rank n
// with rank n - p', where p' is the largest power of two up to p.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/hypercube_fold.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace barrier {

namespace {

constexpr Move kSign{{0, 1}, kWork, kScratch};

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const HypercubeFold cube(problem.ranks, problem.fold);
  return (cube.dimensions() + (cube.extras() > 0 ? 2 : 0)) * prices.alpha_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const HypercubeFold cube(problem.ranks, problem.fold);
  const std::size_t messages =
      std::size_t{cube.base_ranks()} * cube.dimensions() + 2 * std::size_t{cube.extras()};
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  if (cube.extras() > 0) {
    rounds.next();
    for (std::uint32_t i = 0; i < cube.extras(); ++i) {
      rounds.comm(cube.extra(i), cube.proxy(i), kSign);
    }
  }
  for (std::uint32_t level = 0; level < cube.dimensions(); ++level) {
    rounds.next();
    for (const std::uint32_t v : builder.emitted_ranks(cube.base_ranks())) {
      rounds.comm(cube.base(v), cube.base(v ^ 1U << level), kSign);
    }
  }
  if (cube.extras() > 0) {
    rounds.next();
    for (std::uint32_t i = 0; i < cube.extras(); ++i) {
      rounds.comm(cube.proxy(i), cube.extra(i), kSign);
    }
  }
}

}  // namespace

extern const Algorithm recursive_doubling{
    .collective = Collective::barrier,
    .name = "recursive_doubling",
    .idea = "partners at distance 1, 2, 4, ... exchange signals",
    .source = "Open MPI coll/base barrier_intra_recursivedoubling; [schedule document]",
    .cost = "lg p alpha for p = p'; else (lg p' + 2) alpha",
    .options = bit(Option::fold),
    .layout = one_block,
    .exact_s = exact_s,
    .symmetry = exchange,
    .emit = emit,
};

}}}  // namespace tutti::schedules::barrier
