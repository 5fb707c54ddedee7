// Scatter-allgather broadcast (van de Geijn): the root scatters the vector over the binomial tree,
// then a ring allgather hands the blocks round. Ranks and blocks count from the root.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005 (long messages).
#include "schedules/algorithm.hpp"
#include "schedules/patterns/binomial_tree.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::bcast {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  const double p = problem.ranks;
  const double share = (p - 1) / p * static_cast<double>(problem.bytes);
  return (ceil_log2(problem.ranks) + p - 1) * prices.alpha_s + 2 * share * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const BinomialTree tree(p, problem.root);
  builder.reserve((std::size_t{p} + 1) * (p - 1), 4 * std::size_t{p} * p);
  Rounds rounds(builder);
  for (std::uint32_t bit = tree.levels(); bit-- > 0;) {
    rounds.next();
    tree.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t relative) {
      rounds.comm(parent, child, {{relative, tree.subtree(relative, bit)}, kWork, kWork});
    });
  }
  for (std::uint32_t step = 0; step + 1 < p; ++step) {
    rounds.next();
    for (std::uint32_t relative = 0; relative < p; ++relative) {
      rounds.comm(tree.rank(relative), tree.rank((relative + 1) % p),
                  {{(relative + p - step) % p, 1}, kWork, kWork});
    }
  }
}

}  // namespace

extern const Algorithm scatter_allgather{
    .collective = Collective::bcast,
    .name = "scatter_allgather",
    .idea = "scatter over the binomial tree, then allgather round the ring",
    .source = "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005",
    .cost = "(ceil(lg p) + p - 1) alpha + 2(p-1)/p n beta",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .emit = emit,
};

}  // namespace tutti::bcast
