// The binomial tree in rounds. At distance d = 1, 2, 4, ... each relative rank that is a multiple
// of 2d has a child at distance d. The relative rank of a rank is (rank - root) mod p.
#pragma once

#include <optional>

#include "schedules/op.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/patterns/rounds.hpp"
#include "schedules/prices.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

class BinomialTree {
 public:
  BinomialTree(std::uint32_t ranks, Rank root) : ranks_(ranks), root_(root) {}

  [[nodiscard]] std::uint32_t levels() const { return ceil_log2(ranks_); }

  // Calls visit(parent, child, relative_child) for every edge of length 2^bit.
  template <typename Visit>
  void for_each_edge(std::uint32_t bit, Visit&& visit) const {
    const std::uint64_t distance = std::uint64_t{1} << bit;
    for (std::uint64_t parent = 0; parent + distance < ranks_; parent += 2 * distance) {
      visit(rank(parent), rank(parent + distance), static_cast<std::uint32_t>(parent + distance));
    }
  }

  [[nodiscard]] Rank rank(std::uint64_t relative) const {
    return static_cast<Rank>((root_ + relative) % ranks_);
  }

  // Returns the number of ranks in the subtree of `relative_child`, whose edge to its parent has
  // length 2^bit.
  [[nodiscard]] std::uint32_t subtree(std::uint32_t relative_child, std::uint32_t bit) const {
    const std::uint32_t left = ranks_ - relative_child;
    return left < 1U << bit ? left : 1U << bit;
  }

 private:
  std::uint32_t ranks_;
  Rank root_;
};

// Reduces `blocks` to the root, with operands of lower relative ranks on the left.
inline void emit_binomial_reduce(Rounds& rounds, const BinomialTree& tree, const BlockSet& blocks) {
  for (std::uint32_t bit = 0; bit < tree.levels(); ++bit) {
    rounds.next();
    tree.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t) {
      rounds.comm(child, parent, {blocks, kWork, kScratch});
      rounds.reduce(parent, {blocks, kScratch, kWork}, Operand::right);
    });
  }
}

// Broadcasts `blocks` from the root, over the longest edges first.
inline void emit_binomial_bcast(Rounds& rounds, const BinomialTree& tree, const BlockSet& blocks) {
  for (std::uint32_t bit = tree.levels(); bit-- > 0;) {
    rounds.next();
    tree.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t) {
      rounds.comm(parent, child, {blocks, kWork, kWork});
    });
  }
}

// Gathers one block per rank at the root. A message carries the blocks of a subtree, which consists
// of consecutive ranks modulo p.
inline void emit_binomial_gather(Rounds& rounds, const BinomialTree& tree) {
  for (std::uint32_t bit = 0; bit < tree.levels(); ++bit) {
    rounds.next();
    tree.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t relative) {
      rounds.comm(child, parent, {{child, tree.subtree(relative, bit)}, kWork, kWork});
    });
  }
}
// Scatters one block per rank from the root, with the messages of emit_binomial_gather() in
// reverse.
inline void emit_binomial_scatter(Rounds& rounds, const BinomialTree& tree) {
  for (std::uint32_t bit = tree.levels(); bit-- > 0;) {
    rounds.next();
    tree.for_each_edge(bit, [&](Rank parent, Rank child, std::uint32_t relative) {
      rounds.comm(parent, child, {{child, tree.subtree(relative, bit)}, kWork, kWork});
    });
  }
}

// Time of emit_binomial_gather() or emit_binomial_scatter(), for Algorithm::exact_s.
[[nodiscard]] inline std::optional<double> binomial_rooted_s(const Problem& problem,
                                                             const Prices& prices) {
  const double p = problem.ranks;
  return ceil_log2(problem.ranks) * prices.alpha_s +
         (p - 1) / p * static_cast<double>(problem.bytes) * prices.beta_s_per_byte;
}

}}  // namespace tutti::schedules
