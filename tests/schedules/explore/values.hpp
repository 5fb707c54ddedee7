// Represents the contents of blocks as expressions over the inputs of the ranks.
//
// Each value is stored once, so two values are the same exactly if their numbers are equal. The
// enum Sameness decides which expressions are the same value:
//   ordered      x op y and y op x differ
//   commutative  x op y and y op x are the same
// Brackets always matter, because they change the rounding.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/op.hpp"

namespace tutti::explore {

using Value = std::uint32_t;

inline constexpr Value kUndefined = 0;  // never written, or computed from an undefined value

enum class Sameness : std::uint8_t { ordered, commutative };

class Values {
 public:
  explicit Values(Sameness sameness) : sameness_(sameness), nodes_(1) {}

  // Returns the value of block `block` in the input of rank `rank`.
  Value input(Rank rank, std::uint32_t block);
  Value combine(Value left, Value right);

  // Returns true if `value` meets `demand` in a collective on `ranks` ranks. A sum must contain the
  // input of every rank once, in rank order if sameness is `ordered`.
  [[nodiscard]] bool meets(Value value, const Demand& demand, std::uint32_t ranks) const;

  // Returns the text of a value, such as "((0.1 + 1.1) + 2.1)"; the input 1.0 is block 0 of rank 1.
  // The text does not depend on the order in which values were made.
  [[nodiscard]] std::string to_string(Value value) const;

 private:
  struct Node {
    bool leaf = false;
    std::uint32_t a = 0;  // rank of a leaf, otherwise the left operand
    std::uint32_t b = 0;  // block of a leaf, otherwise the right operand
  };

  Value keep(const Node& node);
  // Appends the inputs that `value` is made of, from left to right. Returns false if there are more
  // than `limit`.
  bool leaves(Value value, std::size_t limit, std::vector<Node>& found) const;

  Sameness sameness_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Value> leaf_numbers_;
  std::unordered_map<std::uint64_t, Value> combined_;
};

}  // namespace tutti::explore
