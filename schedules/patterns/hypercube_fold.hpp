// A hypercube of p' = 2^floor(lg p) ranks, with the p - p' other ranks folded into it.
//
// Each extra rank has a proxy that acts for it in the hypercube. The base ranks, which include the
// proxies, have the virtual ranks 0 to p'-1.
#pragma once

#include "schedules/op.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

class HypercubeFold {
 public:
  HypercubeFold(std::uint32_t ranks, Fold fold)
      : base_(power_of_two_below(ranks)), extras_(ranks - base_), fold_(fold) {}

  [[nodiscard]] std::uint32_t base_ranks() const { return base_; }
  [[nodiscard]] std::uint32_t extras() const { return extras_; }
  [[nodiscard]] std::uint32_t dimensions() const { return floor_log2(base_); }

  // extra() returns the i-th extra rank, i < extras(), and proxy() its proxy. With Fold::neighbours
  // they are 2i and 2i+1, as in MPICH; each pair then holds consecutive contributions, so rank
  // order is kept. With Fold::far they are p'+i and i.
  [[nodiscard]] Rank extra(std::uint32_t i) const {
    return fold_ == Fold::neighbours ? 2 * i : base_ + i;
  }
  [[nodiscard]] Rank proxy(std::uint32_t i) const {
    return fold_ == Fold::neighbours ? 2 * i + 1 : i;
  }
  // The rank that plays virtual rank v.
  [[nodiscard]] Rank base(std::uint32_t v) const {
    if (fold_ == Fold::far) {
      return v;
    }
    return v < extras_ ? 2 * v + 1 : v + extras_;
  }

 private:
  std::uint32_t base_;
  std::uint32_t extras_;
  Fold fold_;
};

}}  // namespace tutti::schedules
