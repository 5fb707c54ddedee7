#include "src/interchange/depth_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/rows.hpp"

namespace tutti { inline namespace interchange {

namespace {

std::span<const OpId> row(const ScheduleParts& parts, OpId id) {
  return std::span(parts.dependencies).subspan(parts.rows[id], parts.rows[id + 1] - parts.rows[id]);
}

// Walks back from an operation that never became ready, each time to one that it waits for and that
// never became ready either, until an operation appears for the second time.
std::vector<OpId> cycle_in(const ScheduleParts& parts, const std::vector<std::uint32_t>& waits) {
  auto at = static_cast<OpId>(
      std::ranges::find_if(waits, [](std::uint32_t count) { return count > 0; }) - waits.begin());
  std::vector<OpId> path;
  std::vector<bool> seen(parts.ops.size());
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    at = *std::ranges::find_if(row(parts, at), [&](OpId id) { return waits[id] > 0; });
  }
  return {std::ranges::find(path, at), path.end()};
}

// Sorts operations topologically. An operation also waits for the first one of its pairs in
// `orders`. If nothing else is left, the first operation whose dependencies are met does not wait.
class Sorter {
 public:
  Sorter(const ScheduleParts& parts, std::span<const OpOrder> orders)
      : parts_(parts),
        orders_(orders),
        waits_(parts.ops.size()),
        held_by_(parts.ops.size()),
        done_(parts.ops.size()),
        dependents_(parts.ops.size(),
                    [&](const auto& add) {
                      for (OpId id = 0; id < parts.ops.size(); ++id) {
                        for (const OpId before : row(parts, id)) {
                          add(before, id);
                        }
                      }
                    }),
        seconds_(parts.ops.size(), [&](const auto& add) {
          for (const OpOrder& pair : orders) {
            add(pair.first, pair.second);
          }
        }) {
    for (OpId id = 0; id < parts.ops.size(); ++id) {
      waits_[id] = static_cast<std::uint32_t>(row(parts, id).size());
    }
    for (const OpOrder& pair : orders) {
      ++held_by_[pair.second];
    }
  }

  // Returns the operations in topological order. Leaves out those that depend on a cycle.
  std::vector<OpId> sorted() {
    const auto size = static_cast<OpId>(parts_.ops.size());
    order_.reserve(size);
    for (OpId id = 0; id < size; ++id) {
      offer(id);
    }
    for (std::size_t i = 0; i < order_.size() || take_held(); ++i) {
      const OpId id = order_[i];
      for (const OpId after : dependents_[id]) {
        --waits_[after];
        offer(after);
      }
      for (const OpId after : seconds_[id]) {
        --held_by_[after];
        offer(after);
      }
    }
    return std::move(order_);
  }

  // Number of unmet dependencies of each operation, after sorted().
  [[nodiscard]] const std::vector<std::uint32_t>& waits() const { return waits_; }

 private:
  // Appends `id` to the order if it waits for nothing.
  void offer(OpId id) {
    if (done_[id] || waits_[id] > 0) {
      return;
    }
    if (held_by_[id] > 0) {
      held_.push(id);
      return;
    }
    append(id);
  }

  // Appends the first operation that only `orders_` hold back. Returns false if there is none.
  bool take_held() {
    while (!held_.empty()) {
      const OpId id = held_.top();
      held_.pop();
      if (!done_[id]) {
        append(id);
        return true;
      }
    }
    return false;
  }

  void append(OpId id) {
    done_[id] = true;
    order_.push_back(id);
  }

  const ScheduleParts& parts_;
  std::span<const OpOrder> orders_;
  std::vector<std::uint32_t> waits_;
  std::vector<std::uint32_t> held_by_;  // number of pairs whose first operation is not in the order
  std::vector<bool> done_;
  Rows<OpId> dependents_;  // by operation: the operations that depend on it
  Rows<OpId> seconds_;     // by operation: the second ones of the pairs that it begins
  std::priority_queue<OpId, std::vector<OpId>, std::greater<>> held_;
  std::vector<OpId> order_;
};

// Finds how many messages in a row the data of each operation came over. Payloads must consist of
// pairs or of contiguous blocks.
class DataDepths {
 public:
  explicit DataDepths(const ScheduleParts& parts) : parts_(parts) {}

  // Returns the number up to and with operation `id`. The operations before it in topological order
  // must have been asked for.
  std::uint32_t with(OpId id) {
    const Op& op = parts_.ops[id];
    std::uint32_t depth = 0;
    for_each_pair(id, [&](std::uint32_t from, std::uint32_t into) {
      depth = std::max(depth, of_block(op.src(), op.from(), from));
      if (op.kind() == OpKind::reduce) {
        depth = std::max(depth, of_block(op.dst(), op.into(), into));
      }
    });
    depth += op.is_comm() ? 1 : 0;
    for_each_pair(id, [&](std::uint32_t, std::uint32_t into) {
      of_block(op.dst(), op.into(), into) = depth;
    });
    return depth;
  }

 private:
  template <typename Visit>
  void for_each_pair(OpId id, const Visit& visit) const {
    const Payload& payload = parts_.payloads[id];
    TUTTI_INVARIANT(payload.from.contiguous());
    for (std::uint32_t i = 0; i < payload.from.count; ++i) {
      const BlockPair pair = parts_.ops[id].pooled()
                                 ? parts_.pool[payload.from.first + i]
                                 : BlockPair{payload.from.first + i, payload.into_first + i};
      visit(pair.from, pair.into);
    }
  }

  std::uint32_t& of_block(Rank rank, Buffer buffer, std::uint32_t block) {
    const std::uint64_t place = std::uint64_t{rank} << 2U | static_cast<std::uint64_t>(buffer);
    return depths_[place << 32U | block];
  }

  const ScheduleParts& parts_;
  std::unordered_map<std::uint64_t, std::uint32_t> depths_;  // of the data in each block
};

// The common part of the labels of operations of one kind at the same ranks and level.
struct Slot {
  std::uint32_t level;
  Rank src;
  Rank dst;
  OpKind kind;
  friend bool operator==(const Slot&, const Slot&) = default;
};
struct SlotHash {
  std::size_t operator()(const Slot& slot) const {
    std::uint64_t hash = slot.level;
    for (const std::uint64_t part : {std::uint64_t{slot.src}, std::uint64_t{slot.dst},
                                     static_cast<std::uint64_t>(slot.kind)}) {
      hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
      hash ^= hash >> 29U;
    }
    return hash;
  }
};

}  // namespace

std::vector<OpId> label_by_depth(ScheduleParts& parts, std::span<const OpOrder> orders) {
  Sorter sorter(parts, orders);
  const std::vector<OpId> order = sorter.sorted();
  if (order.size() < parts.ops.size()) {
    return cycle_in(parts, sorter.waits());
  }
  ScheduleParts labelled;
  labelled.ops.reserve(order.size());
  std::vector<OpId> new_id(order.size());
  std::vector<std::uint32_t> depths;  // number of messages up to and with each operation
  depths.reserve(order.size());
  const bool has_data = !parts.payloads.empty();
  DataDepths of_data(parts);
  std::unordered_map<Slot, std::uint32_t, SlotHash> used;
  for (const OpId old : order) {
    const Op& op = parts.ops[old];
    std::uint32_t depth = op.is_comm() ? 1 : 0;
    const auto first = static_cast<std::ptrdiff_t>(labelled.dependencies.size());
    for (const OpId before : row(parts, old)) {
      depth = std::max(depth, depths[new_id[before]] + (op.is_comm() ? 1 : 0));
      labelled.dependencies.push_back(new_id[before]);
    }
    std::sort(labelled.dependencies.begin() + first, labelled.dependencies.end());
    labelled.dependencies.erase(
        std::unique(labelled.dependencies.begin() + first, labelled.dependencies.end()),
        labelled.dependencies.end());
    depth = has_data ? of_data.with(old) : depth;
    const std::uint32_t level = depth > 0 ? depth - 1 : 0;
    const std::uint32_t segment = used[{level, op.src(), op.dst(), op.kind()}]++;
    if (level > kMaxLevel || segment > kMaxSegment) {
      throw UserError(
          fmt::format("more than {} messages in a row, or {} operations of the same "
                      "ranks beside each other, are more than a schedule can name",
                      kMaxLevel, kMaxSegment));
    }
    new_id[old] = static_cast<OpId>(labelled.ops.size());
    depths.push_back(depth);
    labelled.ops.emplace_back(op.kind(), op.src(), op.dst(), op.bytes(), Label{level, segment},
                              op.from(), op.into(), op.from_is(), op.pooled());
    if (!parts.payloads.empty()) {
      labelled.payloads.push_back(parts.payloads[old]);
    }
    if (!parts.units.empty()) {
      labelled.units.push_back(parts.units[old]);
    }
    labelled.rows.push_back(static_cast<std::uint32_t>(labelled.dependencies.size()));
  }
  parts.ops = std::move(labelled.ops);
  parts.payloads = std::move(labelled.payloads);
  parts.units = std::move(labelled.units);
  parts.rows = std::move(labelled.rows);
  parts.dependencies = std::move(labelled.dependencies);
  return {};
}

}}  // namespace tutti::interchange
