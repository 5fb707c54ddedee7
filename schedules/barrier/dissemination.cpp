// Dissemination barrier: at level l rank r sends a sign to rank r + 2^l, in ceil(lg p) rounds for
// any p.
//
// Source: Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988; Open
// MPI's barrier_intra_bruck is the same.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::barrier {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  return ceil_log2(problem.ranks) * prices.alpha_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t messages = std::size_t{p} * ceil_log2(p);
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  for (std::uint64_t distance = 1; distance < p; distance *= 2) {
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      rounds.comm(rank, static_cast<Rank>((rank + distance) % p), {{0, 1}, kWork, kScratch});
    }
  }
}

}  // namespace

extern const Algorithm dissemination{
    .collective = Collective::barrier,
    .name = "dissemination",
    .idea = "at level l rank r sends a sign to rank r + 2^l",
    .source = "Hensgen, Finkel and Manber, 1988",
    .cost = "ceil(lg p) alpha",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = one_block,
    .exact_s = exact_s,
    .symmetry = rotation,
    .emit = emit,
};

}  // namespace tutti::barrier
