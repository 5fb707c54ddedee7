#include "tests/schedules/explore/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tutti::explore {

namespace {

std::uint64_t key(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32U | b; }

}  // namespace

Value Values::keep(const Node& node) {
  auto& numbers = node.leaf ? leaf_numbers_ : combined_;
  const auto [at, added] =
      numbers.try_emplace(key(node.a, node.b), static_cast<Value>(nodes_.size()));
  if (added) {
    nodes_.push_back(node);
  }
  return at->second;
}

Value Values::input(Rank rank, std::uint32_t block) { return keep({true, rank, block}); }

Value Values::combine(Value left, Value right) {
  if (left == kUndefined || right == kUndefined) {
    return kUndefined;
  }
  return sameness_ == Sameness::ordered
             ? keep({false, left, right})
             : keep({false, std::min(left, right), std::max(left, right)});
}

bool Values::leaves(Value value, std::size_t limit, std::vector<Node>& found) const {
  const Node& node = nodes_[value];
  if (node.leaf) {
    found.push_back(node);
    return found.size() <= limit;
  }
  return leaves(node.a, limit, found) && leaves(node.b, limit, found);
}

bool Values::meets(Value value, const Demand& demand, std::uint32_t ranks) const {
  if (demand.kind == Demand::Kind::nothing) {
    return true;
  }
  if (value == kUndefined) {
    return false;
  }
  if (demand.kind == Demand::Kind::copy) {
    const Node& node = nodes_[value];
    return node.leaf && node.a == demand.origin && node.b == demand.block;
  }
  if (demand.kind == Demand::Kind::prefix) {
    ranks = demand.origin + 1;
  }
  std::vector<Node> found;
  if (!leaves(value, ranks, found)) {
    return false;
  }
  std::vector<std::uint32_t> times(ranks, 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].a >= ranks || found[i].b != demand.block ||
        (sameness_ == Sameness::ordered && found[i].a != i)) {
      return false;
    }
    ++times[found[i].a];
  }
  return std::all_of(times.begin(), times.end(), [](std::uint32_t count) { return count == 1; });
}

std::string Values::to_string(Value value) const {
  if (value == kUndefined) {
    return "undefined";
  }
  const Node& node = nodes_[value];
  if (node.leaf) {
    return fmt::format("{}.{}", node.a, node.b);
  }
  std::string left = to_string(node.a);
  std::string right = to_string(node.b);
  if (sameness_ == Sameness::commutative && right < left) {
    std::swap(left, right);
  }
  return fmt::format("({} + {})", left, right);
}

}  // namespace tutti::explore
