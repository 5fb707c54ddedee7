// Circulant reduce: Träff's reduce-scatter with all elements in the root's block. Only the messages
// that carry that block remain, in the rounds that they had. They form a spanning tree towards the
// root.
//
// Source: Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms" (2024, revised
// 2025), Corollary 3 and the remark after it. With linear skips all ranks send directly to the
// root, so their order is kept at no cost.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/circulant_skips.hpp"
#include "schedules/patterns/circulant_tree.hpp"
#include "schedules/patterns/sum_in_order.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const auto rounds = CirculantTree(problem).rounds_of_root();
  if (!rounds) {
    return std::nullopt;
  }
  const double n = static_cast<double>(problem.bytes);
  return *rounds * (prices.alpha_s + n * (prices.beta_s_per_byte + prices.gamma_s_per_byte));
}

bool keeps_order(const Problem& problem) { return linear_skips(problem.skips, problem.ranks); }

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const CirculantTree tree(problem);
  builder.reserve(2 * std::size_t{problem.ranks - 1}, 6 * std::size_t{problem.ranks});
  Rounds rounds(builder);
  const bool in_order = keeps_order(problem);
  for (std::size_t round = 0; round < tree.rounds(); ++round) {
    rounds.next();
    tree.for_each_edge(round, [&](Rank parent, Rank child, std::uint32_t) {
      rounds.comm(child, parent,
                  {{0, 1}, kWork, in_order ? place_of_contribution(child) : kScratch});
    });
    tree.for_each_edge(round, [&](Rank parent, Rank child, std::uint32_t) {
      if (in_order) {
        sum_in_order(rounds, parent, child, {0, 1});
      } else {
        rounds.reduce(parent, {{0, 1}, kScratch, kWork}, Operand::right);
      }
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
    .cost =
        "q (alpha + n beta + n gamma); the number of rounds q is ceil(lg p) with halving or "
        "doubling skips",
    .keeps_order = keeps_order,
    .order_kept = "linear skips, or p <= 3",
    .options = bit(Option::skips),
    .layout = one_block,
    .exact_s = exact_s,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce
