#include "schedules/verify/block_states.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "schedules/verify/contract_of.hpp"

namespace tutti { inline namespace schedules {

namespace {

bool has_every_rank_once(const Expressions& expressions, Expressions::Value value,
                         std::uint32_t ranks, std::uint32_t block) {
  std::vector<Expressions::Value> leaves;
  expressions.leaves(value, std::size_t{ranks} + 1, leaves);
  std::vector<bool> seen(ranks);
  for (const Expressions::Value leaf : leaves) {
    const Rank origin = expressions.origin(leaf);
    if (seen[origin] || expressions.block(leaf) != block) {
      return false;
    }
    seen[origin] = true;
  }
  return leaves.size() == ranks;
}

// Returns the round of each operation. Round 0 has the operations that do not depend on any
// message.
std::vector<std::uint32_t> rounds_of(const Schedule& schedule) {
  std::vector<std::uint32_t> rounds(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      rounds[id] = std::max(rounds[id], rounds[before]);
    }
    rounds[id] += schedule.op(id).is_comm() ? 1 : 0;
  }
  return rounds;
}

}  // namespace

BlockStates::BlockStates(const Schedule& schedule)
    : schedule_(schedule), replay_(schedule, contract_of(schedule)), order_(schedule.size()) {
  const std::vector<std::uint32_t> round = rounds_of(schedule);
  std::iota(order_.begin(), order_.end(), 0U);
  std::stable_sort(order_.begin(), order_.end(),
                   [&round](OpId a, OpId b) { return round[a] < round[b]; });
  rounds_ = round.empty() ? 0 : *std::max_element(round.begin(), round.end());
  for (std::uint32_t i = 0; i <= rounds_ + 1; ++i) {
    const auto begin =
        std::partition_point(order_.begin(), order_.end(), [&](OpId id) { return round[id] < i; });
    round_at_.push_back(static_cast<std::size_t>(begin - order_.begin()));
  }
  for (std::size_t i = 0; i < round_at_[1]; ++i) {
    replay_.run(order_[i]);
  }
}

void BlockStates::do_round() {
  TUTTI_INVARIANT(round_ < rounds_);
  ++round_;
  for (std::size_t i = round_at_[round_]; i < round_at_[round_ + 1]; ++i) {
    replay_.run(order_[i]);
  }
}

std::string BlockStates::work(Rank rank, std::uint32_t block) const {
  return text(replay_.result(rank, block), block);
}

std::string BlockStates::scratch(Rank rank, std::uint32_t index) const {
  return text(replay_.in_scratch(rank, index), index % schedule_.blocks());
}

std::string BlockStates::text(Expressions::Value value, std::uint32_t block) const {
  if (value == Expressions::kUndefined) {
    return "";
  }
  const Expressions& expressions = replay_.expressions();
  if (reduces(schedule_.problem().collective) && schedule_.ranks() > 1 &&
      has_every_rank_once(expressions, value, schedule_.ranks(), block)) {
    return "full";
  }
  return expressions.text(value, block);
}

std::vector<CombinationNode> combination_tree(const Schedule& schedule, Rank rank,
                                              std::uint32_t block) {
  Replay replay(schedule, contract_of(schedule), {});
  const Expressions& expressions = replay.expressions();
  std::vector<CombinationNode> nodes;
  struct Item {
    Expressions::Value value;
    std::uint32_t parent;
    std::uint32_t depth;
  };
  std::vector<Item> stack;
  if (const Expressions::Value value = replay.result(rank, block);
      value != Expressions::kUndefined) {
    stack.push_back({value, 0, 0});
  }
  while (!stack.empty()) {
    Item item = stack.back();
    stack.pop_back();
    // All other leaves were combined into the leftmost one. The loop walks down to this leaf and
    // meets the last combination first.
    const auto node = static_cast<std::uint32_t>(nodes.size());
    while (!expressions.is_leaf(item.value)) {
      const auto [left, right] = expressions.operands(item.value);
      stack.push_back({right, node, item.depth + 1});
      item.value = left;
    }
    nodes.push_back({expressions.text(item.value, block), item.parent, item.depth,
                     expressions.origin(item.value)});
  }
  return nodes;
}

}}  // namespace tutti::schedules
