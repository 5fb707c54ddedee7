// Recursive doubling allgather ("exponential message size"), for any p: at level l partners whose
// numbers differ in bit l exchange all blocks of their groups of 2^l ranks. Where the partner group
// is cut off by p, the ranks that had a partner hand what they got to those that had none, down a
// tree.
//
// Source: [schedule document], whose tree this is; MPICH's allgather_intra_recursive_doubling. In
// the tree a message carries this level's blocks only.
#include <algorithm>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti::allgather {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks != power_of_two_below(problem.ranks)) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  return floor_log2(problem.ranks) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

// The ranks of `group`, which starts at a multiple of 2^level, had partners up to `complete` ranks
// into it; those send the blocks from `first` on to the others. p may cut no rank off `group`.
void propagate(Rounds& rounds, std::uint32_t level, Rank group, std::uint32_t complete,
               const BlockSet& blocks, std::uint32_t step) {
  const std::uint32_t distance = 1U << (level - 1 - step);
  for (Rank rank = group; rank < group + (1U << level); ++rank) {
    const Rank to = rank ^ distance;
    const Rank tree_root = rank / (2 * distance) * (2 * distance);
    if (to > rank && rank < tree_root + complete && to >= tree_root + complete) {
      rounds.comm(rank, to, {blocks, kWork, kWork});
    }
  }
}

// At each level every rank receives once, from its partner or in the tree; where the partner group
// of the last ranks lies beyond p, those receive nothing.
std::size_t messages(std::uint32_t p) {
  std::size_t sum = 0;
  for (std::uint64_t size = 1; size < p; size *= 2) {
    const std::uint64_t group = p / (2 * size) * (2 * size);
    sum += group + size < p ? p : group;
  }
  return sum;
}

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  builder.reserve(messages(p), 4 * messages(p));
  Rounds rounds(builder);
  for (std::uint32_t level = 0; level < ceil_log2(p); ++level) {
    const std::uint32_t size = 1U << level;
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      const Rank to = rank ^ size;
      if (to < p) {
        const Rank group = rank / size * size;
        rounds.comm(rank, to, {{group, std::min(size, p - group)}, kWork, kWork});
      }
    }
    // At most one group has a partner group that p cuts off.
    const Rank group = p / (2 * size) * (2 * size);
    if (group + size < p && p < group + 2 * size) {
      const std::uint32_t complete = p - group - size;
      for (std::uint32_t step = 0; step < level; ++step) {
        rounds.next();
        propagate(rounds, level, group, complete, {group + size, complete}, step);
      }
    }
  }
}

}  // namespace

extern const Algorithm recursive_doubling{
    .collective = Collective::allgather,
    .name = "recursive_doubling",
    .idea =
        "partners at distance 1, 2, 4, ... exchange all they have; a tree serves those without one",
    .source = "MPICH allgather_intra_recursive_doubling; [schedule document]",
    .cost = "lg p alpha + (p-1)/p n beta for p = p'",
    .keeps_order = nullptr,
    .options = 0,
    .refusal = nullptr,
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = exchange_of_even_blocks,
    .emit = emit,
};

}  // namespace tutti::allgather
