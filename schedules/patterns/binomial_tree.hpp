// The binomial tree, in rounds: at distance d = 1, 2, 4, ... a relative rank that is a multiple of
// 2d has the child at distance d. Relative ranks count from the root: (rank - root) mod p.
#pragma once

#include "schedules/op.hpp"
#include "schedules/patterns/arithmetic.hpp"

namespace tutti {

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

  // Relative ranks in the subtree that hangs below the edge of length 2^bit to `relative_child`.
  [[nodiscard]] std::uint32_t subtree(std::uint32_t relative_child, std::uint32_t bit) const {
    const std::uint32_t left = ranks_ - relative_child;
    return left < 1U << bit ? left : 1U << bit;
  }

 private:
  [[nodiscard]] Rank rank(std::uint64_t relative) const {
    return static_cast<Rank>((root_ + relative) % ranks_);
  }

  std::uint32_t ranks_;
  Rank root_;
};

}  // namespace tutti
