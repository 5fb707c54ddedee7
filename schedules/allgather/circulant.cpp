// Circulant allgather: the allgather phase of Träff's allreduce, in which the messages of the
// reduce-scatter phase are sent in reverse. With halving or doubling --skips it takes ceil(lg p)
// rounds, for any p.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), second phase of Algorithm 2; Bruck et al. 1997 for doubling skips.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const std::uint32_t p = problem.ranks;
  const auto rounds =
      static_cast<double>(circulant_rounds(circulant_skips(problem.skips, p), p).size());
  return rounds * prices.alpha_s + static_cast<double>(p - 1) / p *
                                       static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const auto plan = circulant_rounds(circulant_skips(problem.skips, p), p);
  builder.reserve(plan.size() * p, 4 * plan.size() * p);
  Rounds rounds(builder);
  emit_circulant_allgather(rounds, plan, p);
}

}  // namespace

extern const Algorithm circulant{
    .collective = Collective::allgather,
    .name = "circulant",
    .idea = "the circulant reduce-scatter in reverse",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, Algorithm 2",
    .cost =
        "q alpha + (p-1)/p n beta; the number of rounds q is ceil(lg p) with halving or doubling "
        "skips",
    .options = bit(Option::skips),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
