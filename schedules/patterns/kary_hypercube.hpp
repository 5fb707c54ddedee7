// A cube of ranks whose numbers are written in base K (--radix). Ranks that differ in just one
// digit form a group, in which every rank exchanges with each of the others. With K = 2 this is the
// hypercube.
//
// As in hypercube_fold.hpp, ranks that do not fit into the cube are extras: each has a proxy that
// acts for it. The base ranks, which include the proxies, are numbered from 0 on as virtual ranks.
//
// Source: MPICH 4.0 (MPII_Recexchalgo_get_neighbors in
// src/mpi/coll/algorithms/recexchalgo/recexchalgo.c), 4.3
// (src/mpi/coll/allreduce/allreduce_intra_recursive_multiplying.c); UCC 1.4
// (src/coll_patterns/recursive_knomial.h).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/sentence.hpp"
#include "schedules/op.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// For all algorithms that write rank numbers in base K, where the radix must not be 1.
// refuse_radix_1() implements Algorithm::refusal; kRadix1 is for Algorithm::limits.
[[nodiscard]] std::optional<Sentence> refuse_radix_1(const Problem& problem);
inline constexpr std::array<std::string_view, 1> kRadix1{"$radix 1"};

class KaryHypercube {
 public:
  // Determines the size of the cube and the proxies of the extras.
  enum class Extras : std::uint8_t {
    // The cube has K^m ranks. From rank 0 on, the last of each K consecutive ranks is the proxy of
    // the other K - 1, until no extras are left [MPICH's recursive exchange]. With fewer than K
    // ranks, K is p.
    before_proxy,
    // The cube consists of the first K^m ranks. Extras are assigned to these ranks in turn [MPICH's
    // recursive multiplying].
    round_robin,
    // The cube has c K^m ranks, c < K; their highest digit has base c. From rank 0 on, rank 2i is
    // the proxy of rank 2i+1, until no extras are left [UCC]. With fewer than K ranks, K is p.
    after_proxy,
  };
  KaryHypercube(std::uint32_t ranks, std::uint32_t radix, Extras extras);

  [[nodiscard]] std::uint32_t base_ranks() const { return base_; }
  [[nodiscard]] std::uint32_t extra_ranks() const { return ranks_ - base_; }
  [[nodiscard]] std::uint32_t digits() const { return static_cast<std::uint32_t>(radices_.size()); }
  // The largest base of a digit; at least 2.
  [[nodiscard]] std::uint32_t radix() const { return radix_; }
  [[nodiscard]] std::uint32_t radix(std::uint32_t digit) const { return radices_[digit]; }
  // Weight of a digit: K^digit.
  [[nodiscard]] std::uint32_t weight(std::uint32_t digit) const { return weights_[digit]; }

  [[nodiscard]] std::uint32_t value(std::uint32_t v, std::uint32_t digit) const {
    return v / weights_[digit] % radices_[digit];
  }
  // Returns the j-th of the other ranks in v's group, j = 1 to radix(digit) - 1. For each j, every
  // rank is the j-th of exactly one other rank. If the base of the digit is a power of two, and u
  // is the j-th of v, then v is also the j-th of u.
  [[nodiscard]] std::uint32_t other(std::uint32_t v, std::uint32_t digit, std::uint32_t j) const {
    const std::uint32_t radix = radices_[digit];
    const std::uint32_t from = value(v, digit);
    const std::uint32_t to = std::has_single_bit(radix) ? from ^ j : (from + j) % radix;
    return v + (to - from) * weights_[digit];
  }
  // Inverse of other(): returns the j for which v is other(u, digit, j), where u is the member of
  // v's group that has `from` as this digit.
  [[nodiscard]] std::uint32_t turn(std::uint32_t v, std::uint32_t digit, std::uint32_t from) const {
    const std::uint32_t radix = radices_[digit];
    const std::uint32_t to = value(v, digit);
    return std::has_single_bit(radix) ? from ^ to : (to + radix - from) % radix;
  }
  // Returns the number with the digits of v in reverse order. If all digits have the same base,
  // mirroring twice returns v.
  [[nodiscard]] std::uint32_t mirror(std::uint32_t v) const;

  [[nodiscard]] Rank base(std::uint32_t v) const {
    switch (extras_) {
      case Extras::before_proxy:
        return v < full_ ? v * radix_ + radix_ - 1 : v + extra_ranks();
      case Extras::after_proxy:
        return v < extra_ranks() ? 2 * v : v + extra_ranks();
      case Extras::round_robin:
        break;
    }
    return v;
  }
  // extras() returns the number of extras of virtual rank v, and extra() the extra of v with index
  // i. Index 0 is the nearest extra.
  [[nodiscard]] std::uint32_t extras(std::uint32_t v) const {
    switch (extras_) {
      case Extras::before_proxy:
        return v < full_ ? radix_ - 1 : v == full_ ? extra_ranks() - full_ * (radix_ - 1) : 0;
      case Extras::after_proxy:
        return v < extra_ranks() ? 1 : 0;
      case Extras::round_robin:
        break;
    }
    return (ranks_ - 1 - v) / base_;
  }
  [[nodiscard]] Rank extra(std::uint32_t v, std::uint32_t i) const {
    switch (extras_) {
      case Extras::before_proxy:
        return base(v) - 1 - i;
      case Extras::after_proxy:
        return base(v) + 1;
      case Extras::round_robin:
        break;
    }
    return v + (i + 1) * base_;
  }
  // Largest number of extras of any virtual rank. Virtual rank 0 has this number, because the
  // numbers never increase from one virtual rank to the next.
  [[nodiscard]] std::uint32_t most_extras() const { return extras(0); }
  // True if extra ranks come before their proxy.
  [[nodiscard]] bool extras_first() const { return extras_ == Extras::before_proxy; }

  // Returns the lowest of v and its extras, which are consecutive ranks. Must not be called with
  // Extras::round_robin.
  [[nodiscard]] Rank first(std::uint32_t v) const {
    if (v == base_) {
      return ranks_;
    }
    return extras_first() ? base(v) - extras(v) : base(v);
  }
  // Returns the blocks of `count` virtual ranks from v on and of their extras. Must not be called
  // with Extras::round_robin.
  [[nodiscard]] BlockSet blocks(std::uint32_t v, std::uint32_t count) const {
    return {first(v), first(v + count) - first(v)};
  }

 private:
  std::uint32_t ranks_;
  std::uint32_t radix_;
  Extras extras_;
  std::uint32_t base_ = 1;
  std::uint32_t full_ = 0;  // number of virtual ranks with radix - 1 extras
  std::vector<std::uint32_t> radices_;
  // The weight of each digit, and of one more digit above the highest.
  std::vector<std::uint32_t> weights_;
};

}}  // namespace tutti::schedules
