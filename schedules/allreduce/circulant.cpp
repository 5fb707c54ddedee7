// Träff's allreduce: a reduce-scatter over a circulant graph, then an allgather that uses the skips
// in reverse order. With halving or doubling skips it is optimal in rounds and in volume, for any
// p.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Algorithm 2. Blocks keep their numbers here (rank r starts at block r, modulo p), so the
// paper's first copy (at most gamma m in the paper's notation) does not rotate the vector, and its
// last copy is not needed. The first copy takes no time unless --copy-cost is given. --copies half
// avoids half of this copy, as a remark in section 3 of the paper suggests. Operators must commute,
// except with linear skips, which keep the order of ranks.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"

namespace tutti { inline namespace schedules { namespace allreduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const std::uint32_t p = problem.ranks;
  const auto plan = circulant_rounds(circulant_skips(problem.skips, p), p);
  const auto rounds = static_cast<double>(plan.size());
  const double share = static_cast<double>(p - 1) / p * static_cast<double>(problem.bytes);
  return 2 * rounds * prices.alpha_s + 2 * share * prices.beta_s_per_byte +
         circulant_reduced_bytes(problem) * prices.gamma_s_per_byte +
         circulant_copied_bytes(problem, plan) * prices.copy_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const auto plan = circulant_rounds(circulant_skips(problem.skips, p), p);
  builder.reserve((3 * plan.size() + 1) * p, 9 * plan.size() * p);
  Rounds rounds(builder);
  emit_circulant_reduce_scatter(problem, rounds, plan);
  emit_circulant_allgather(rounds, plan, p);
}

}  // namespace

extern const Algorithm circulant{
    .collective = Collective::allreduce,
    .name = "circulant",
    .idea = "reduce-scatter over a circulant graph, then allgather over it in reverse",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, "
        "Algorithm 2",
    .cost =
        "2 q alpha + 2(p-1)/p n beta + (p-1)/p n gamma; the number of rounds q is ceil(lg p) with "
        "halving or doubling skips; with linear skips it is p-1, and n gamma replaces (p-1)/p n "
        "gamma for p > 2",
    .keeps_order = keeps_order_by_skips,
    .order_kept = "linear skips",
    .options = bit(Option::skips) | bit(Option::copies),
    .remark = kCorollary2Remark,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_unless_in_order,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allreduce
