// What a block may hold, as expressions over the contributions of the ranks.
//
// Every value is kept once, so that two values are the same exactly when their numbers are. What
// counts as the same depends on who judges:
//   ordered      the operator is only associative at best; x op y and y op x differ
//   commutative  x op y and y op x are the same; the bracketing still counts, for it changes the
//                rounding
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedules/collective.hpp"
#include "schedules/op.hpp"

namespace tutti::explore {

using Value = std::uint32_t;

inline constexpr Value kUndefined = 0;  // never written, or made of something undefined

enum class Sameness : std::uint8_t { ordered, commutative };

class Values {
 public:
  explicit Values(Sameness sameness) : sameness_(sameness), nodes_(1) {}

  // Block `block` of the input of rank `rank`.
  Value input(Rank rank, std::uint32_t block);
  Value combine(Value left, Value right);

  // Whether `value` is what `demand` asks of a collective on `ranks` ranks. A sum must have every
  // rank once, in rank order when sameness is ordered.
  [[nodiscard]] bool meets(Value value, const Demand& demand, std::uint32_t ranks) const;

  // "((0.1 + 1.1) + 2.1)": rank.block. The same for the same value, whoever made it in which order.
  [[nodiscard]] std::string to_string(Value value) const;
  // Several, with "; " between them.
  [[nodiscard]] std::string to_string(const std::vector<Value>& values) const;

 private:
  struct Node {
    bool leaf = false;
    std::uint32_t a = 0;  // leaf: rank; else left operand
    std::uint32_t b = 0;  // leaf: block; else right operand
  };

  Value keep(const Node& node);
  // Appends the inputs that `value` is made of, from left to right; false when there are too many.
  bool leaves(Value value, std::size_t limit, std::vector<Node>& found) const;

  Sameness sameness_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Value> leaf_numbers_;
  std::unordered_map<std::uint64_t, Value> combined_;
};

}  // namespace tutti::explore
