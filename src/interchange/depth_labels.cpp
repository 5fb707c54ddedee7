#include "src/interchange/depth_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"

namespace tutti::inline interchange {

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

// Returns the operations in topological order, or fewer if there is a cycle. `waits` is then
// positive for the operations that are left out.
std::vector<OpId> sorted(const ScheduleParts& parts, std::vector<std::uint32_t>& waits) {
  const auto size = static_cast<OpId>(parts.ops.size());
  std::vector<std::uint32_t> starts(size + std::size_t{1});
  for (const OpId before : parts.dependencies) {
    ++starts[before + std::size_t{1}];
  }
  for (OpId id = 0; id < size; ++id) {
    starts[id + std::size_t{1}] += starts[id];
  }
  std::vector<OpId> successors(parts.dependencies.size());
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  std::vector<OpId> order;
  order.reserve(size);
  for (OpId id = 0; id < size; ++id) {
    waits[id] = static_cast<std::uint32_t>(row(parts, id).size());
    for (const OpId before : row(parts, id)) {
      successors[next[before]++] = id;
    }
    if (waits[id] == 0) {
      order.push_back(id);
    }
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::uint32_t at = starts[order[i]]; at < starts[order[i] + std::size_t{1}]; ++at) {
      if (--waits[successors[at]] == 0) {
        order.push_back(successors[at]);
      }
    }
  }
  return order;
}

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

std::vector<OpId> label_by_depth(ScheduleParts& parts) {
  std::vector<std::uint32_t> waits(parts.ops.size());
  const std::vector<OpId> order = sorted(parts, waits);
  if (order.size() < parts.ops.size()) {
    return cycle_in(parts, waits);
  }
  ScheduleParts labelled;
  labelled.ops.reserve(order.size());
  std::vector<OpId> new_id(order.size());
  std::vector<std::uint32_t> depths;  // number of messages up to and with each operation
  depths.reserve(order.size());
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
    labelled.rows.push_back(static_cast<std::uint32_t>(labelled.dependencies.size()));
  }
  parts.ops = std::move(labelled.ops);
  parts.payloads = std::move(labelled.payloads);
  parts.rows = std::move(labelled.rows);
  parts.dependencies = std::move(labelled.dependencies);
  return {};
}

}  // namespace tutti::inline interchange
