// Values as expressions: which operands, in which order, bracketed how.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::inline schedules {

// Numbers pairs: equal pairs get equal numbers, from 0 on. Open addressing.
class PairNumbers {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  std::uint32_t number(Pair pair);
  [[nodiscard]] const Pair& operator[](std::uint32_t number) const { return pairs_[number]; }
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }

 private:
  [[nodiscard]] std::size_t slot_of(Pair pair) const;
  void grow();

  std::vector<Pair> pairs_;
  std::vector<std::uint32_t> slots_;  // number + 1; 0 is free. The size is a power of two
};

// Equal expressions are one value, so comparing values compares expressions.
class Expressions {
 public:
  using Value = std::uint32_t;
  static constexpr Value kUndefined = 0;

  // Throws UserError when there are more leaves than 32-bit values.
  Expressions(std::uint32_t ranks, std::uint32_t blocks);

  // What `rank` contributes to `block`, or just that block of its input.
  [[nodiscard]] Value leaf(Rank rank, std::uint32_t block) const {
    return 1 + rank * blocks_ + block;
  }
  // left op right; undefined if one of them is.
  [[nodiscard]] Value combine(Value left, Value right);

  [[nodiscard]] bool is_leaf(Value value) const { return value != 0 && value < first_node_; }
  [[nodiscard]] Rank origin(Value leaf) const { return (leaf - 1) / blocks_; }
  [[nodiscard]] std::uint32_t block(Value leaf) const { return (leaf - 1) % blocks_; }

  // The contribution of every rank to `block`, each once, in rank order. In constant time.
  [[nodiscard]] bool is_sum_in_rank_order(Value value, std::uint32_t block) const {
    return is_sum_in_rank_order(value, block, ranks_);
  }
  // Of the first `count` ranks.
  [[nodiscard]] bool is_sum_in_rank_order(Value value, std::uint32_t block, Rank count) const;

  // What combine() was given.
  [[nodiscard]] std::pair<Value, Value> operands(Value node) const {
    return nodes_[node - first_node_];
  }

  // The leaves from left to right, at most `limit` of them.
  void leaves(Value value, std::size_t limit, std::vector<Value>& out) const;

  // One value for all expressions that differ only in the sides of their steps.
  [[nodiscard]] Value canonical(Value value);

  // "x1 + x0 + (x2 + x3)"; leaves of other blocks than `block` as x2[5].
  [[nodiscard]] std::string text(Value value, std::uint32_t block) const;

 private:
  // Consecutive ranks' contributions to one block, in rank order; count 0 when it is not that.
  struct Interval {
    Rank first = 0;
    std::uint32_t count = 0;
    std::uint32_t block = 0;
  };
  [[nodiscard]] Interval interval(Value value) const;

  std::uint32_t ranks_;
  std::uint32_t blocks_;
  Value first_node_;
  PairNumbers nodes_;
  std::vector<Interval> intervals_;  // by node
  PairNumbers canonical_nodes_;
  std::vector<Value> canonical_;  // by node
};

}  // namespace tutti::inline schedules
