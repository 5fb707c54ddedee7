// Symbolic expressions for the values in blocks. An expression shows which operands were combined,
// in which order, with which brackets.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

// Assigns numbers to pairs, from 0 on; equal pairs get equal numbers. This is a hash table with
// open addressing.
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
  // The hash table: number + 1, or 0 for a free slot. Its size is a power of two.
  std::vector<std::uint32_t> slots_;
};

// Stores each expression once, so that comparing values compares expressions.
class Expressions {
 public:
  using Value = std::uint32_t;
  static constexpr Value kUndefined = 0;

  // Throws UserError if ranks * blocks, the number of leaves, exceeds 2,147,483,646.
  Expressions(std::uint32_t ranks, std::uint32_t blocks);

  // The contribution of `rank` to `block`. If nothing is reduced, this is block `block` of the
  // input of `rank`.
  [[nodiscard]] Value leaf(Rank rank, std::uint32_t block) const {
    return 1 + rank * blocks_ + block;
  }
  // Returns the expression "left op right"; kUndefined if either operand is undefined.
  [[nodiscard]] Value combine(Value left, Value right);

  [[nodiscard]] bool is_leaf(Value value) const { return value != 0 && value < first_node_; }
  [[nodiscard]] Rank origin(Value leaf) const { return (leaf - 1) / blocks_; }
  [[nodiscard]] std::uint32_t block(Value leaf) const { return (leaf - 1) % blocks_; }

  // True if `value` combines the contribution of every rank to `block`, each once, in rank order.
  // Takes constant time.
  [[nodiscard]] bool is_sum_in_rank_order(Value value, std::uint32_t block) const {
    return is_sum_in_rank_order(value, block, ranks_);
  }
  // Like the function above, but for the first `count` ranks only.
  [[nodiscard]] bool is_sum_in_rank_order(Value value, std::uint32_t block, Rank count) const;

  // The two operands of an expression that combine() returned.
  [[nodiscard]] std::pair<Value, Value> operands(Value node) const {
    return nodes_[node - first_node_];
  }

  // Stores the leaves from left to right in `out`, at most `limit` of them.
  void leaves(Value value, std::size_t limit, std::vector<Value>& out) const;

  // Returns the same value for all expressions that become equal by swapping the two operands of
  // some operators.
  [[nodiscard]] Value canonical(Value value);

  // Returns a text such as "x1 + x0 + (x2 + x3)". A leaf of another block than `block`, such as
  // block 5, is written x2[5].
  [[nodiscard]] std::string text(Value value, std::uint32_t block) const;

 private:
  // A value that consists of the contributions of consecutive ranks to one block, in rank order.
  // `count` is the number of ranks; 0 if the value is not of this form.
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
  // The interval of each node.
  std::vector<Interval> intervals_;
  PairNumbers canonical_nodes_;
  // The canonical value of each node.
  std::vector<Value> canonical_;
};

}}  // namespace tutti::schedules
