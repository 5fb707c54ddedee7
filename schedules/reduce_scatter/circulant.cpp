// Träff's reduce-scatter: in round k every rank sends the partial results of a range of blocks
// across skip s_k of a circulant graph and reduces what it receives. Optimal in rounds (with
// halving or doubling skips) and in volume for any p; blocks may have any sizes
// (MPI_Reduce_scatter).
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Algorithm 1. Blocks keep their numbers here (rank r starts at block r, modulo p), so the
// copy that the paper starts with, gamma m at most, moves without rotating; it is free unless
// copies are priced. For commutative operators, but with linear skips: those keep the order of
// ranks.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"

namespace tutti::reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (!problem.block_bytes.empty()) {
    return std::nullopt;  // Corollary 3 bounds it; which rank is last depends on the sizes
  }
  const std::uint32_t p = problem.ranks;
  const auto rounds =
      static_cast<double>(circulant_rounds(circulant_skips(problem.skips, p), p).size());
  const double n = static_cast<double>(problem.bytes);
  const double share = static_cast<double>(p - 1) / p * n;
  return rounds * prices.alpha_s + share * prices.beta_s_per_byte +
         circulant_reduced_bytes(problem) * prices.gamma_s_per_byte + n * prices.copy_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const auto plan = circulant_rounds(circulant_skips(problem.skips, p), p);
  builder.reserve((2 * plan.size() + 1) * p, 5 * plan.size() * p);
  Rounds rounds(builder);
  rounds.start_with_copy({0, p});
  if (keeps_order_by_skips(problem)) {
    emit_circulant_reduce_scatter_in_order(rounds, p);
  } else {
    emit_circulant_reduce_scatter(rounds, plan, p);
  }
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
        "q alpha + (p-1)/p n (beta + gamma), q rounds: ceil(lg p) with halving or doubling skips; "
        "with linear skips p-1, and n gamma in place of (p-1)/p n gamma for p > 2",
    .keeps_order = keeps_order_by_skips,
    .order_kept = "linear skips",
    .options = static_cast<unsigned>(Option::skips) | static_cast<unsigned>(Option::block_sizes),
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = rotation_unless_in_order,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::reduce_scatter
