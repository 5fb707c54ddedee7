// Recursive doubling allgather ("exponential message size"), for any p: at level l partners whose
// numbers differ in bit l exchange all blocks of their groups of 2^l ranks. If p is not a power of
// two, the last group may have fewer ranks. The ranks of its partner group that have a partner then
// forward what they received to those that have none, down a tree.
//
// Source: [schedule document], which describes the tree; MPICH's
// allgather_intra_recursive_doubling. A message in the tree carries only the blocks that were
// exchanged at its level.
#include "schedules/algorithm.hpp"
#include "schedules/patterns/doubling_allgather.hpp"

namespace tutti { inline namespace schedules { namespace allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks != power_of_two_below(problem.ranks)) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return floor_log2(problem.ranks) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  const std::size_t messages = DoublingAllgather::messages(p);
  builder.reserve(messages, 4 * messages);
  Rounds rounds(builder);
  DoublingAllgather(rounds, BinomialTree(p, 0), p).emit();
}

}  // namespace

extern const Algorithm recursive_doubling{
    .collective = Collective::allgather,
    .name = "recursive_doubling",
    .idea =
        "partners at distance 1, 2, 4, ... exchange all they have; ranks without a partner get "
        "blocks over a tree",
    .source = "MPICH allgather_intra_recursive_doubling; [schedule document]",
    .cost = "lg p alpha + (p-1)/p n beta for p = p'",
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = exchange_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::allgather
