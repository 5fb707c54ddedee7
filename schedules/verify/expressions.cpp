#include "schedules/verify/expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

std::uint32_t PairNumbers::number(Pair pair) {
  if (2 * (pairs_.size() + 1) > slots_.size()) {
    grow();
  }
  const std::size_t slot = slot_of(pair);
  if (slots_[slot] == 0) {
    pairs_.push_back(pair);
    slots_[slot] = static_cast<std::uint32_t>(pairs_.size());
  }
  return slots_[slot] - 1;
}

std::size_t PairNumbers::slot_of(Pair pair) const {
  // Fibonacci hashing: the high bits of a product are well mixed.
  const std::uint64_t key = std::uint64_t{pair.first} << 32U | pair.second;
  std::size_t slot = static_cast<std::size_t>((key ^ key >> 29U) * 0x9e3779b97f4a7c15U >> 32U);
  for (slot &= slots_.size() - 1; slots_[slot] != 0 && pairs_[slots_[slot] - 1] != pair;) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void PairNumbers::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    slots_[slot_of(pairs_[i])] = static_cast<std::uint32_t>(i + 1);
  }
}

Expressions::Expressions(std::uint32_t ranks, std::uint32_t blocks)
    : ranks_(ranks), blocks_(blocks) {
  const std::uint64_t leaves = std::uint64_t{ranks} * blocks;
  // The other half of the values is left for nodes. Each node needs at least 24 bytes, so the
  // memory is exhausted before the values are.
  if (leaves >= std::numeric_limits<Value>::max() / 2) {
    throw UserError(
        fmt::format("{} blocks on {} ranks are too many to prove: blocks times ranks must be at "
                    "most 2147483646",
                    blocks, ranks));
  }
  first_node_ = static_cast<Value>(leaves) + 1;
}

Expressions::Value Expressions::combine(Value left, Value right) {
  if (left == kUndefined || right == kUndefined) {
    return kUndefined;
  }
  const std::uint32_t node = nodes_.number({left, right});
  if (node == intervals_.size()) {
    TUTTI_INVARIANT(node < std::numeric_limits<Value>::max() - first_node_);
    const Interval a = interval(left);
    const Interval b = interval(right);
    const bool joined =
        a.count > 0 && b.count > 0 && a.block == b.block && a.first + a.count == b.first;
    intervals_.push_back(joined ? Interval{a.first, a.count + b.count, a.block} : Interval{});
  }
  return first_node_ + node;
}

bool Expressions::is_sum_in_rank_order(Value value, std::uint32_t block, Rank count) const {
  const Interval all = interval(value);
  return all.first == 0 && all.count == count && all.block == block;
}

Expressions::Interval Expressions::interval(Value value) const {
  return value < first_node_ ? Interval{origin(value), 1, block(value)}
                             : intervals_[value - first_node_];
}

void Expressions::leaves(Value value, std::size_t limit, std::vector<Value>& out) const {
  out.clear();
  std::vector<Value> stack{value};
  while (!stack.empty() && out.size() < limit) {
    const Value top = stack.back();
    stack.pop_back();
    if (top < first_node_) {
      out.push_back(top);
    } else {
      const auto [left, right] = operands(top);
      stack.push_back(right);
      stack.push_back(left);
    }
  }
}

Expressions::Value Expressions::canonical(Value value) {
  const auto of = [this](Value v) { return v < first_node_ ? v : canonical_[v - first_node_]; };
  // Operands have smaller numbers than their combination.
  while (canonical_.size() < nodes_.size()) {
    const auto [left, right] = nodes_[static_cast<std::uint32_t>(canonical_.size())];
    const auto [low, high] = std::minmax({of(left), of(right)});
    canonical_.push_back(first_node_ + canonical_nodes_.number({low, high}));
  }
  return of(value);
}

std::string Expressions::text(Value value, std::uint32_t block) const {
  if (value == kUndefined) {
    return "undefined";
  }
  // The stack has the items that are still to be printed: a value, a bracket or a plus each.
  // Recursion is avoided, because the depth of an expression can be the number of ranks, as in a
  // ring.
  struct Item {
    Value value;
    char symbol;
  };
  std::string out;
  std::vector<Item> stack{{value, 0}};
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    if (item.symbol == '+') {
      out += " + ";
    } else if (item.symbol != 0) {
      out += item.symbol;
    } else if (item.value < first_node_) {
      out += fmt::format("x{}", origin(item.value));
      if (this->block(item.value) != block) {
        out += fmt::format("[{}]", this->block(item.value));
      }
    } else {
      const auto [left, right] = operands(item.value);
      const bool brackets = right >= first_node_;
      if (brackets) {
        stack.push_back({0, ')'});
      }
      stack.push_back({right, 0});
      if (brackets) {
        stack.push_back({0, '('});
      }
      stack.push_back({0, '+'});
      stack.push_back({left, 0});
    }
  }
  return out;
}

}}  // namespace tutti::schedules
