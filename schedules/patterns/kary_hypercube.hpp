// Ranks as numbers in base K: those that differ in one digit are a group, in which every rank
// exchanges with each of the others. The hypercube is K = 2.
//
// As with hypercube_fold.hpp, ranks beyond those that fill the cube are extras: each has a proxy
// that speaks for it. Base ranks, proxies among them, have the virtual ranks 0 to base_ranks() - 1.
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

namespace tutti::inline schedules {

// For Algorithm::refusal and limits of all that count in digits: a radix of 1 has none.
[[nodiscard]] std::optional<Sentence> refuse_radix_1(const Problem& problem);
inline constexpr std::array<std::string_view, 1> kRadix1{"$radix 1"};

class KaryHypercube {
 public:
  // How ranks are made a cube.
  enum class Extras : std::uint8_t {
    // K^m ranks, and of each K of the first ranks the last speaks for the others, as long as there
    // are extras [MPICH's recursive exchange]. On fewer than K ranks K is p.
    before_proxy,
    // K^m ranks, the first ones; others go round them [MPICH's recursive multiplying].
    round_robin,
    // c K^m ranks, c < K, whose last digit is of base c; of neighbours 2i and 2i+1 the first speaks
    // for the other [UCC]. On fewer than K ranks K is p.
    after_proxy,
  };
  KaryHypercube(std::uint32_t ranks, std::uint32_t radix, Extras extras);

  [[nodiscard]] std::uint32_t base_ranks() const { return base_; }
  [[nodiscard]] std::uint32_t extra_ranks() const { return ranks_ - base_; }
  [[nodiscard]] std::uint32_t digits() const { return static_cast<std::uint32_t>(radices_.size()); }
  // The largest base of a digit; at least 2.
  [[nodiscard]] std::uint32_t radix() const { return radix_; }
  [[nodiscard]] std::uint32_t radix(std::uint32_t digit) const { return radices_[digit]; }
  // What a digit counts: K^digit.
  [[nodiscard]] std::uint32_t weight(std::uint32_t digit) const { return weights_[digit]; }

  [[nodiscard]] std::uint32_t value(std::uint32_t v, std::uint32_t digit) const {
    return v / weights_[digit] % radices_[digit];
  }
  // The j-th of the others in v's group, j = 1 to radix(digit) - 1: each then is the j-th of one.
  // Where the base of the digit is a power of two, both are it of each other.
  [[nodiscard]] std::uint32_t other(std::uint32_t v, std::uint32_t digit, std::uint32_t j) const {
    const std::uint32_t radix = radices_[digit];
    const std::uint32_t from = value(v, digit);
    const std::uint32_t to = std::has_single_bit(radix) ? from ^ j : (from + j) % radix;
    return v + (to - from) * weights_[digit];
  }
  // Of which j the other one of v's group that has the value `from` in the digit sends to v.
  [[nodiscard]] std::uint32_t turn(std::uint32_t v, std::uint32_t digit, std::uint32_t from) const {
    const std::uint32_t radix = radices_[digit];
    const std::uint32_t to = value(v, digit);
    return std::has_single_bit(radix) ? from ^ to : (to + radix - from) % radix;
  }
  // The number that v's digits make where the first counts most. Of digits of one base, where it is
  // applied twice, it is v again.
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
  // How many ranks v speaks for, and the i-th of them, the nearest first.
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
  // Of the virtual rank that has most. None has more than those before it.
  [[nodiscard]] std::uint32_t most_extras() const { return extras(0); }
  // Whether an extra rank stands before its proxy.
  [[nodiscard]] bool extras_first() const { return extras_ == Extras::before_proxy; }

  // The first of the ranks that v and its extras are, which are consecutive; not round robin.
  [[nodiscard]] Rank first(std::uint32_t v) const {
    if (v == base_) {
      return ranks_;
    }
    return extras_first() ? base(v) - extras(v) : base(v);
  }
  // A block of each rank that `count` virtual ranks from v on stand for; not round robin.
  [[nodiscard]] BlockSet blocks(std::uint32_t v, std::uint32_t count) const {
    return {first(v), first(v + count) - first(v)};
  }

 private:
  std::uint32_t ranks_;
  std::uint32_t radix_;
  Extras extras_;
  std::uint32_t base_ = 1;
  std::uint32_t full_ = 0;  // virtual ranks with radix - 1 extras before them
  std::vector<std::uint32_t> radices_;
  std::vector<std::uint32_t> weights_;  // and that of a digit more
};

}  // namespace tutti::inline schedules
