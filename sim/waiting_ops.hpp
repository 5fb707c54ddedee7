// The operations that wait for ports or cores.
//
// Each resource (a port or a core) has a queue. A waiting operation is in one queue only: that of a
// resource without room. So an operation is visited only when that resource is freed. It then
// starts, or moves to the queue of another resource without room.
//
// Operations that need the same resources form a group, because a rank of a segmented tree may have
// tens of thousands of messages to one other rank. A group is a linked list of operations in id
// order, and moves as a whole. A queue is a heap of groups, ordered by their first operations. A
// hash table finds the groups that need two given ports.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules/op.hpp"
#include "sim/min_heap.hpp"

namespace tutti { inline namespace sim {

class WaitingOps {
 public:
  // `links` has one number per operation. It must be 0 when the operation is added, and is 0 again
  // after the operation was removed. In between, it belongs to this object.
  WaitingOps(std::vector<std::uint32_t>& links, std::size_t resources)
      : links_(links), resources_(resources) {}

  // True if no operation waits.
  [[nodiscard]] bool empty() const { return waiting_groups_ == 0; }
  // True if the queue of `resource` is empty.
  [[nodiscard]] bool empty(std::uint32_t resource) {
    if (queues_.empty()) {
      return true;
    }
    MinHeap& queue = queues_[resource];
    while (!queue.empty() && is_outdated(queue.front())) {
      pop_min(queue);
    }
    return queue.empty();
  }
  // Upper bound of the number of groups in the queue of `resource`.
  [[nodiscard]] std::size_t size(std::uint32_t resource) const { return queues_[resource].size(); }
  // Returns the first group in the queue of `resource`, for which empty() has returned false.
  [[nodiscard]] std::uint32_t front(std::uint32_t resource) const {
    return group_of(queues_[resource].front());
  }
  // Returns the first operation of a group; kNoOp if the group is empty.
  [[nodiscard]] OpId first(std::uint32_t group) const { return groups_[group].first; }

  // Adds an operation that lacks `resource`. `needs` must be equal for two operations only if
  // they need the same resources, and less than 2^63. Returns true if
  // the operation is the first one of its group.
  bool add(OpId id, std::uint32_t resource, std::uint64_t needs) {
    if (queues_.empty()) [[unlikely]] {
      queues_.resize(resources_);
    }
    if (4 * groups_.size() >= 3 * index_.size()) [[unlikely]] {
      grow_index();
    }
    const std::uint32_t number = group_for(id, needs);
    Group& group = groups_[number];
    const bool is_first = group.first == kNoOp;
    if (is_first) {
      group.first = id;
      ++waiting_groups_;
      enqueue(number, resource);
    } else {
      links_[group.last] = id;
    }
    group.last = id;
    return is_first;
  }

  // True if some other group, which is not empty, has operations that need `needs`.
  [[nodiscard]] bool any_need(std::uint64_t needs) const {
    bool any = false;
    if (several_groups_need_alike_) [[unlikely]] {
      find(needs, [&any](std::uint32_t) { any = true; });
    }
    return any;
  }

  // Removes the first operation of a group. If the group is not empty then, enqueue() must be
  // called.
  void remove_first(std::uint32_t number) {
    Group& group = groups_[number];
    const OpId next = links_[group.first];
    links_[group.first] = 0;
    group.first = next == 0 ? kNoOp : next;  // operation 0 is never the next one of a group
    group.needs &= ~kQueued;
    waiting_groups_ -= next == 0 ? 1 : 0;
  }

  // Puts a group into the queue of `resource`, unless it is in a queue.
  void enqueue(std::uint32_t number, std::uint32_t resource) {
    Group& group = groups_[number];
    if ((group.needs & kQueued) == 0) {
      group.needs |= kQueued;
      push_min(queues_[resource], item(group.first, number));
    }
  }

  // Removes the first group from the queue of `resource`.
  void dequeue(std::uint32_t resource) {
    groups_[front(resource)].needs &= ~kQueued;
    pop_min(queues_[resource]);
  }

  // Calls visit(group) for each group that is not empty and whose operations need `needs`.
  template <typename Visit>
  void find(std::uint64_t needs, Visit&& visit) const {
    for (std::size_t at = place_of(needs); index_[at] != kUnused; at = after(at)) {
      const Group& group = groups_[index_[at]];
      if ((group.needs & ~kQueued) == needs && group.first != kNoOp) {
        visit(index_[at]);
      }
    }
  }

  // Removes all operations.
  void clear() {
    for (std::uint32_t number = 0; number < groups_.size(); ++number) {
      while (groups_[number].first != kNoOp) {
        remove_first(number);
      }
    }
  }

 private:
  static constexpr std::uint32_t kUnused = 0xffffffffU;
  static constexpr std::uint64_t kQueued = std::uint64_t{1} << 63U;  // flag: it is in a queue

  struct Group {
    std::uint64_t needs = 0;
    OpId first = kNoOp;
    OpId last = 0;  // the operation that was added last
  };

  static std::uint64_t item(OpId first, std::uint32_t group) {
    return std::uint64_t{first} << 32U | group;
  }
  static std::uint32_t group_of(std::uint64_t item) { return static_cast<std::uint32_t>(item); }
  // True if the first operation of the group has been removed since the item was made.
  [[nodiscard]] bool is_outdated(std::uint64_t item) const {
    return groups_[group_of(item)].first != item >> 32U;
  }

  // Returns a group to whose end operation `id` can be added. Operations usually come in id order.
  // If they do not, several groups need the same resources.
  std::uint32_t group_for(OpId id, std::uint64_t needs) {
    bool is_known = false;
    std::uint32_t best = 0;
    std::uint64_t best_last = 0;  // 0: none; 1: the group is empty; otherwise 2 more than its last
    std::size_t at = place_of(needs);
    for (; index_[at] != kUnused; at = after(at)) {
      const Group& group = groups_[index_[at]];
      if ((group.needs & ~kQueued) != needs) {
        continue;
      }
      is_known = true;
      if (group.first == kNoOp || group.last < id) {
        const std::uint64_t last = group.first == kNoOp ? 1 : std::uint64_t{group.last} + 2;
        if (last > best_last) {
          best = index_[at];
          best_last = last;
        }
      }
    }
    if (best_last > 0) {
      return best;
    }
    several_groups_need_alike_ = several_groups_need_alike_ || is_known;
    index_[at] = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({needs, kNoOp, 0});
    return index_[at];
  }

  [[nodiscard]] std::size_t place_of(std::uint64_t needs) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
    return static_cast<std::size_t>(needs * kGolden >> shift_);
  }
  [[nodiscard]] std::size_t after(std::size_t at) const { return (at + 1) & (index_.size() - 1); }

  void grow_index() {
    constexpr std::size_t kFew = 64;
    index_.assign(std::max(kFew, 2 * index_.size()), kUnused);
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(index_.size()));
    for (std::uint32_t number = 0; number < groups_.size(); ++number) {
      std::size_t at = place_of(groups_[number].needs & ~kQueued);
      while (index_[at] != kUnused) {
        at = after(at);
      }
      index_[at] = number;
    }
  }

  std::vector<std::uint32_t>& links_;  // by operation: the next one of its group; 0: none
  std::size_t resources_;
  std::vector<MinHeap> queues_;  // by resource; empty if no operation has waited yet
  std::vector<Group> groups_;
  std::size_t waiting_groups_ = 0;  // number of groups that are not empty
  bool several_groups_need_alike_ = false;
  std::vector<std::uint32_t> index_;  // hash table of all groups, by what their operations need
  unsigned shift_ = 0;
};

}}  // namespace tutti::sim
