// Census allreduce: every rank has the sum of the vectors of the k ranks before it, with and
// without its own. In each round it sends one of them to a rank k or k + 1 further on, so that k
// grows to 2 k or 2 k + 1, by the binary digits of p-1. The allreduce takes ceil(lg p) rounds for
// any p, while recursive doubling takes one round more if p is not a power of two. With K > 2
// (--radix), k grows to K k + d by K - 1 messages at once, where d is a digit of p-1 in base K.
//
// Source: Bar-Noy, Kipnis and Schieber, "An optimal algorithm for computing census functions in
// message-passing systems", Parallel Processing Letters 3(1), 1993; for K > 2 Bruck and Ho,
// "Efficient global combine operations in multi-port message-passing systems", Parallel Processing
// Letters 3(4), 1993. Operators must commute: the sum of rank r begins with the vector of rank r +
// 1. A sum that the next messages do not need is computed while these are under way.
#include "schedules/patterns/census.hpp"

#include <algorithm>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/kary_hypercube.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

constexpr BlockSet kVector{0, 1};
// The sum with the own vector is in `work`, the one without in the first scratch slot.
constexpr Place kOthers = kScratch;

std::vector<CensusPhase> census_of(const Problem& problem) {
  return census_phases(problem.ranks, radices_for(problem.ranks, {kRadix2.of(problem)}));
}

// The reductions at the end of a phase: first those that the next messages wait for.
struct CensusSums {
  std::size_t combined;  // reductions of received sums into the first one
  bool own;              // the sum with the own vector is sent next, or is the result
  bool others;           // the sum without the own vector is sent next
  bool own_beside;
  bool others_beside;

  [[nodiscard]] std::size_t waited_for() const {
    return combined + (own ? 1U : 0U) + (others ? 1U : 0U);
  }
  [[nodiscard]] std::size_t beside() const {
    return (own_beside ? 1U : 0U) + (others_beside ? 1U : 0U);
  }
};

CensusSums census_sums_after(const std::vector<CensusPhase>& plan, std::size_t at) {
  const bool last = at + 1 == plan.size();
  const bool own = last || sends_own(plan[at + 1]);
  const bool others = at > 0 && !last && sends_others(plan[at + 1]);
  // In the first phase the sum of what is received is the sum without the own vector.
  return {plan[at].size() - 1, own, others, !own,
          at > 0 && !others && sends_others_from(plan, at + 1)};
}

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const std::vector<CensusPhase> plan = census_of(problem);
  const double n = static_cast<double>(problem.bytes);
  const double message_s = prices.alpha_s + n * prices.beta_s_per_byte;
  const double reduction_s = n * prices.gamma_s_per_byte;
  double ready_s = 0;  // the next messages can start
  double core_s = 0;   // the core is free
  for (std::size_t at = 0; at < plan.size(); ++at) {
    const CensusSums sums = census_sums_after(plan, at);
    ready_s += static_cast<double>(plan[at].size()) * message_s;
    if (sums.waited_for() > 0) {
      ready_s = std::max(ready_s, core_s) + static_cast<double>(sums.waited_for()) * reduction_s;
    }
    core_s = ready_s + static_cast<double>(sums.beside()) * reduction_s;
  }
  return ready_s;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::vector<CensusPhase> plan = census_of(problem);
  std::size_t most = 0;
  std::size_t ops = 0;
  for (std::size_t at = 0; at < plan.size(); ++at) {
    const CensusSums sums = census_sums_after(plan, at);
    most = std::max(most, plan[at].size());
    ops += plan[at].size() + sums.waited_for() + sums.beside();
  }
  builder.reserve(ops * p, 3 * ops * p);
  Phases phases(builder, 2 * most);
  for (std::size_t at = 0; at < plan.size(); ++at) {
    phases.next();
    // Phases take turns with two sets of slots, since a sum may still be computed during the next
    // phase. The first sum of all needs no other place.
    const auto slot = [&](std::size_t i) {
      const std::size_t set = at == 0 ? 0 : 1 + at % 2 * most;
      return Place{Buffer::scratch, static_cast<std::uint32_t>(set + i)};
    };
    for (std::uint32_t i = 0; i < plan[at].size(); ++i) {
      const auto [distance, with_own] = plan[at][i];
      for (const Rank rank : phases.emitted_ranks()) {
        const auto to = static_cast<Rank>((std::uint64_t{rank} + distance) % p);
        phases.comm(rank, to, {kVector, with_own ? kWork : kOthers, slot(i)}, i);
      }
    }
    const CensusSums sums = census_sums_after(plan, at);
    for (const Rank rank : phases.emitted_ranks()) {
      std::uint32_t segment = 0;
      for (std::size_t i = 1; i < plan[at].size(); ++i) {
        phases.reduce(rank, {kVector, slot(i), slot(0)}, Operand::left, segment++);
      }
      const auto into = [&](Place sum) { return Move{kVector, slot(0), sum}; };
      if (sums.own) {
        phases.reduce(rank, into(kWork), Operand::left, segment++);
      }
      if (sums.others) {
        phases.reduce(rank, into(kOthers), Operand::left, segment++);
      }
      if (sums.own_beside) {
        phases.reduce_beside(rank, into(kWork), Operand::left, segment++);
      }
      if (sums.others_beside) {
        phases.reduce_beside(rank, into(kOthers), Operand::left, segment++);
      }
    }
  }
}

}  // namespace

extern const Algorithm census{
    .collective = Collective::allreduce,
    .name = "census",
    .idea =
        "partial sums of the ranks before each rank, with and without its own vector, double "
        "by the digits of p-1",
    .source =
        "Bar-Noy, Kipnis and Schieber, Parallel Processing Letters 3(1), 1993; Bruck and Ho, "
        "3(4), 1993",
    .cost =
        "q (alpha + n beta) + (q - 1 + d) n gamma with q = ceil(lg p), for K = 2 and n gamma <= "
        "alpha + n beta; d is the second binary digit of p-1, or 1 for p = 2",
    .options = bit(Option::radix),
    .own_numbers = {&kRadix2, 1},
    .refusal = refuse_radix_1,
    .limits = kRadix1,
    .layout = one_block,
    .exact_s = exact_s,
    .symmetry = rotation,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
