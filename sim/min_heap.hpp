// Queues of numbers, smallest number first. Unlike std::pop_heap() and std::push_heap(),
// replace_min() exchanges the smallest number of a heap in one pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti { inline namespace sim {

using MinHeap = std::vector<std::uint64_t>;

inline void push_min(MinHeap& heap, std::uint64_t added) {
  std::size_t at = heap.size();
  heap.push_back(added);
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (heap[parent] <= added) {
      break;
    }
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = added;
}

// Replaces the smallest number by `added`.
inline void replace_min(MinHeap& heap, std::uint64_t added) {
  const std::size_t size = heap.size();
  std::size_t at = 0;
  for (std::size_t child = 1; child < size; child = 2 * at + 1) {
    child += child + 1 < size && heap[child + 1] < heap[child] ? 1U : 0U;
    if (added <= heap[child]) {
      break;
    }
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = added;
}

inline void pop_min(MinHeap& heap) {
  const std::uint64_t last = heap.back();
  heap.pop_back();
  if (!heap.empty()) {
    replace_min(heap, last);
  }
}

// A queue that returns numbers in ascending order. Most of the numbers are added as one batch,
// which is sorted once. The others go to a heap, which stays small.
class BatchQueue {
 public:
  [[nodiscard]] bool empty() const { return next_ == batch_.size() && heap_.empty(); }
  [[nodiscard]] std::uint64_t front() const { return from_batch() ? batch_[next_] : heap_.front(); }

  // Adds a number to the batch. Call sort() after the last one. The queue must have been empty
  // before the first one.
  void add(std::uint64_t added) {
    if (next_ > 0) {
      batch_.clear();
      next_ = 0;
    }
    batch_.push_back(added);
  }
  void sort() { std::sort(batch_.begin() + static_cast<std::ptrdiff_t>(next_), batch_.end()); }

  void pop() {
    if (from_batch()) {
      ++next_;
    } else {
      pop_min(heap_);
    }
  }
  // Replaces the first number by `added`.
  void replace_front(std::uint64_t added) {
    if (from_batch()) {
      ++next_;
      push_min(heap_, added);
    } else {
      replace_min(heap_, added);
    }
  }

 private:
  [[nodiscard]] bool from_batch() const {
    return heap_.empty() || (next_ < batch_.size() && batch_[next_] <= heap_.front());
  }

  std::vector<std::uint64_t> batch_;
  std::size_t next_ = 0;  // index of the first number of the batch that is left
  MinHeap heap_;
};

}}  // namespace tutti::sim
