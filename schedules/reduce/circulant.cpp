// Circulant reduce: Träff's reduce-scatter with all elements in the root's block. Only the
// messages that carry that block are left, a spanning tree towards the root in the same rounds.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Corollary 3 and the remark after it.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/patterns/circulant_tree.hpp"

namespace tutti::reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const auto rounds = CirculantTree(problem).rounds_of_root();
  if (!rounds) {
    return std::nullopt;
  }
  const double n = static_cast<double>(problem.bytes);
  return *rounds * (prices.alpha_s + n * (prices.beta_s_per_byte + prices.gamma_s_per_byte));
}

// In round k the root takes rank p - s_k, and other ranks take from higher ones. To end in rank
// order all must go straight to root 0, from rank 1 on: over the skips p-1, p-2, ..., 1.
bool keeps_order(const Problem& problem) {
  return problem.root == 0 &&
         circulant_skips(problem.skips, problem.ranks).size() + 1 == problem.ranks;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const CirculantTree tree(problem);
  builder.reserve(2 * std::size_t{problem.ranks - 1}, 6 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  for (std::size_t round = 0; round < tree.rounds(); ++round) {
    rounds.next();
    tree.for_each_edge(round, [&](Rank parent, Rank child, std::uint32_t) {
      rounds.comm(child, parent, {{0, 1}, kWork, kScratch});
    });
    tree.for_each_edge(round, [&](Rank parent, Rank, std::uint32_t) {
      rounds.reduce(parent, {{0, 1}, kScratch, kWork}, Operand::right);
    });
  }
}

}  // namespace

extern const Algorithm circulant{
    .collective = Collective::reduce,
    .name = "circulant",
    .idea = "the circulant reduce-scatter with all elements in one block",
    .source =
        "Träff, Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2025, Corollary 3",
    .cost = "q (alpha + n beta + n gamma), q rounds: ceil(lg p) with halving or doubling skips",
    .keeps_order = keeps_order,
    .order_kept = "root 0 with linear skips, as all are for p <= 3",
    .options = static_cast<unsigned>(Option::skips),
    .refusal = nullptr,
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}  // namespace tutti::reduce
