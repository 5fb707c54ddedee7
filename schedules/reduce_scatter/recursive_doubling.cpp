// Recursive doubling reduce-scatter, for operators that need not commute. Partners at distance 1,
// 2, 4, ... exchange and combine the sums of their groups of consecutive ranks, for all blocks
// except those of the sender's group. Each rank thus keeps its own block and the blocks of ranks
// outside its group. If p is not a power of two, the last group may have fewer ranks. The ranks of
// its partner group that have a partner then forward what they received to those that have none,
// down the tree of allgather/recursive_doubling.
//
// Source: Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005, section 4.4 (operators that don't
// commute); MPICH 4.0, src/mpi/coll/reduce_scatter/reduce_scatter_intra_recursive_doubling.c.
// Lower groups are on the left, so the order of ranks is kept. As in the source, a rank also
// combines blocks of its own group, of which it holds only a part; these sums are never read.
#include <algorithm>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/cut_off_partners.hpp"
#include "schedules/patterns/rounds.hpp"

namespace tutti { inline namespace schedules { namespace reduce_scatter {

namespace {

std::optional<double> exact_s(const Problem& problem, const Prices& prices) {
  if (problem.ranks != power_of_two_below(problem.ranks) || !problem.block_bytes.empty()) {
    return std::nullopt;
  }
  const double p = problem.ranks;
  const double levels = floor_log2(problem.ranks);
  return levels * prices.alpha_s + (levels - (p - 1) / p) * static_cast<double>(problem.bytes) *
                                       (prices.beta_s_per_byte + prices.gamma_s_per_byte);
}

// The group of `size` ranks to which `rank` belongs, without numbers that are p or higher. `size`
// is a power of two.
struct Group {
  Group(Rank rank, std::uint32_t size, std::uint32_t p)
      : first(rank / size * size), ranks(std::min(size, p - first)) {}
  // All blocks but those of the group, modulo p.
  [[nodiscard]] BlockSet others(std::uint32_t p) const { return {(first + ranks) % p, p - ranks}; }
  Rank first;
  std::uint32_t ranks;
};

void emit(const Problem& problem, ScheduleBuilder& builder) {
  const std::uint32_t p = problem.ranks;
  // At each level every rank receives from its partner group, if there is one, and combines.
  std::size_t messages = 0;
  for (std::uint64_t size = 1; size < p; size *= 2) {
    const std::uint64_t pairs = p / (2 * size) * (2 * size);
    messages += pairs + size < p ? p : pairs;
  }
  builder.reserve(2 * messages, 10 * messages);
  Rounds rounds(builder);
  for (std::uint32_t size = 1; size < p; size *= 2) {
    const auto combine = [&](Rank rank) {
      const Group partners(rank ^ size, size, p);
      rounds.reduce(rank, {partners.others(p), kScratch, kWork},
                    partners.first < rank ? Operand::left : Operand::right, rounds.sent(rank));
    };
    rounds.next();
    for (const Rank rank : rounds.emitted_ranks()) {
      if ((rank ^ size) < p) {
        rounds.comm(rank, rank ^ size, {Group(rank, size, p).others(p), kWork, kScratch});
      }
    }
    for (const Rank rank : rounds.emitted_ranks()) {
      if ((rank ^ size) < p) {
        combine(rank);
      }
    }
    const CutOffPartners cut_off(size, p);
    cut_off.for_each_hand_on([&] { rounds.next(); },
                             [&](Rank rank, Rank to) {
                               const Group partners(to ^ size, size, p);
                               rounds.comm(rank, to, {partners.others(p), kScratch, kScratch});
                               combine(to);
                             });
  }
}

}  // namespace

extern const Algorithm recursive_doubling{
    .collective = Collective::reduce_scatter,
    .name = "recursive_doubling",
    .idea =
        "partners at distance 1, 2, 4, ... exchange and combine all blocks except those of the "
        "sender's group",
    .source =
        "Thakur, Rabenseifner and Gropp, IJHPCA 19(1), 2005; MPICH 4.0 "
        "reduce_scatter_intra_recursive_doubling",
    .cost = "lg p alpha + (lg p - (p-1)/p) n (beta + gamma) for p = p'",
    .keeps_order = always,
    .order_kept = "always",
    .options = bit(Option::block_sizes),
    .layout = block_per_rank,
    .exact_s = exact_s,
    .symmetry = exchange_of_even_blocks,
    .emit = emit,
    .one_shape = always,
};

}}}  // namespace tutti::schedules::reduce_scatter
