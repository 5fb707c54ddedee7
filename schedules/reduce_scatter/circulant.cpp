// Träff's reduce-scatter: in round k every rank sends the partial results of a range of blocks over
// skip s_k of a circulant graph, and reduces what it receives. It is optimal in rounds (with
// halving or doubling skips) and in volume, for any p. Blocks may have any sizes
// (MPI_Reduce_scatter).
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Algorithm 1. Blocks keep their numbers here (rank r starts at block r, modulo p), so the
// paper's first copy (at most gamma m in the paper's notation) does not rotate the vector. This
// copy takes no time unless --copy-cost is given. --copies half avoids half of this copy, as a
// remark in section 3 of the paper suggests. Operators must commute, except with linear skips,
// which keep the order of ranks.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;  // no closed form: which rank finishes last depends on the sizes
  }
  const std::uint32_t p = problem.ranks;
  const auto plan = circulant_rounds(circulant_skips(problem.skips, p), p);
  const auto rounds = static_cast<double>(plan.size());
  const double share = static_cast<double>(p - 1) / p * static_cast<double>(problem.bytes);
  return rounds * prices.alpha_s + share * prices.beta_s_per_byte +
         circulant_reduced_bytes(problem) * prices.gamma_s_per_byte +
         circulant_copied_bytes(problem, plan) * prices.copy_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const auto plan = circulant_rounds(circulant_skips(problem.skips, p), p);
  builder.reserve((2 * plan.size() + 1) * p, 5 * plan.size() * p);
  Rounds rounds(builder);
  emit_circulant_reduce_scatter(problem, rounds, plan);
}

}  // namespace

extern const Algorithm circulant{
    .collective = Collective::reduce_scatter,
    .name = "circulant",
    .idea =
        "partial results of ranges of blocks travel over a circulant graph, in ceil(lg p) rounds",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, Algorithm 1",
    .cost =
        "q alpha + (p-1)/p n (beta + gamma); the number of rounds q is ceil(lg p) with halving or "
        "doubling skips; with linear skips it is p-1, and n gamma replaces (p-1)/p n gamma for p > "
        "2",
    .keeps_order = keeps_order_by_skips,
    .order_kept = "linear skips",
    .options = bit(Option::skips) | bit(Option::block_sizes) | bit(Option::copies),
    .remark = kCorollary2Remark,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_unless_in_order,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce_scatter
