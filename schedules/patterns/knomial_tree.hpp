// The k-nomial tree. Ranks are numbered relative to the root, in base K. The parent of a rank
// differs from the rank in its lowest nonzero digit, which is 0 in the parent. With K = 2, this is
// the binomial tree.
//
// In phase i each parent has up to K - 1 children, at the distances K^i, 2 K^i, ... The subtree of
// a child consists of up to K^i consecutive relative ranks.
#pragma once

#include <algorithm>
#include <vector>

#include "schedules/op.hpp"
#include "schedules/patterns/digit_hops.hpp"

namespace tutti { inline namespace schedules {

class KnomialTree {
 public:
  // An edge. `parent` and `child` are relative to the root.
  struct Edge {
    std::uint32_t parent;
    std::uint32_t child;
    std::uint32_t j;        // the child is the j-th child of its parent in the phase
    std::uint32_t subtree;  // number of ranks in the child's subtree
  };

  KnomialTree(std::uint32_t ranks, Rank root, std::uint32_t radix)
      : ranks_(ranks), root_(root), radix_(radix), phases_(hop_phases(ranks, radix)) {}

  [[nodiscard]] const std::vector<HopPhase>& phases() const { return phases_; }

  [[nodiscard]] Rank rank(std::uint32_t relative) const {
    return static_cast<Rank>((std::uint64_t{root_} + relative) % ranks_);
  }

  // Calls visit(edge) for each edge of the phase: for the first children of all parents, then for
  // all second children, and so on.
  template <typename Visit>
  void for_each_edge(const HopPhase& phase, Visit&& visit) const {
    const std::uint64_t group = std::uint64_t{phase.distance} * radix_;
    for (std::uint32_t j = 1; j <= phase.hops; ++j) {
      const std::uint32_t distance = j * phase.distance;
      for (std::uint64_t parent = 0; parent + distance < ranks_; parent += group) {
        const auto child = static_cast<std::uint32_t>(parent + distance);
        visit(Edge{static_cast<std::uint32_t>(parent), child, j,
                   std::min(phase.distance, ranks_ - child)});
      }
    }
  }

  // Number of ranks of the child's subtree before it wraps around: those from the child to rank
  // p-1. The other ranks of the subtree follow from rank 0 on.
  [[nodiscard]] std::uint32_t before_rank_0(const Edge& edge) const {
    return std::min(edge.subtree, ranks_ - rank(edge.child));
  }
  // True if the subtree of some child of the root wraps around rank 0.
  [[nodiscard]] bool root_has_wrapped_child() const {
    std::uint32_t zero = rank_0();
    while (zero != 0 && zero % radix_ == 0) {
      zero /= radix_;
    }
    return zero >= radix_;
  }

 private:
  // Relative rank of rank 0.
  [[nodiscard]] std::uint32_t rank_0() const { return (ranks_ - root_) % ranks_; }

  std::uint32_t ranks_;
  Rank root_;
  std::uint32_t radix_;
  std::vector<HopPhase> phases_;
};

}}  // namespace tutti::schedules
