// A queue of the operations that wait for one port or core, in id order.
//
// A message may wait for two ports. It is then in the queues of both, so that it is found when
// either port is freed. Entries whose operation has started are skipped. When a port is freed, one
// walk over its queue finds the first operation that may start. For each entry, the walk checks the
// other port. A queue may have a million operations, which come in any order: most are appended,
// and the others go to a second, small list. If walks turn out to be long, and the entries need
// only a few different other ports, the queue is split into lanes by the other port
// (wait_lanes.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schedules/op.hpp"
#include "sim/wait_lanes.hpp"

namespace tutti::inline sim {

class WaitQueue {
 public:
  static constexpr OpId kNobody = WaitLanes::kNobody;

  // Adds an operation, unless it is in the queue already. `other` is the number of the resource
  // that the operation needs in addition to this one; it must be less than 2^31. If the operation
  // needs no other resource, or several, `other` is this resource itself.
  void put(OpId id, std::uint32_t other) {
    if (lanes_) [[unlikely]] {
      if (lanes_->put({id, other, false})) {
        return;
      }
      leave_lanes();
    }
    if (entries_.empty() || entries_.back().id < id) [[likely]] {
      entries_.push_back({id, other});
      ++only_here_;
      return;
    }
    const auto earlier = at(entries_, id);
    if (earlier->id == id) {
      return;
    }
    const auto place = at(late_, id);
    if (place == late_.end() || place->id != id) {
      late_.insert(place, {id, other});
      ++only_here_;
    }
    if (late_.size() * late_.size() > entries_.size() + kSlack) {
      merge();
    }
  }

  // Makes the next walk begin with the first operation.
  void rewind() {
    next_ = 0;
    last_ = kNobody;
  }

  // True if each operation of this queue is also in the queue of the other resource that it needs.
  [[nodiscard]] bool all_in_both() const {
    return lanes_ ? lanes_->all_in_both() : only_here_ == 0;
  }

  // Continues the walk. Returns the next operation that waits and can be taken from this queue, or
  // kNobody. waits(id) must return true if the operation has not started. finds(other, in_both)
  // must return true if the other resource has room, unless the operation is in both queues and
  // must be taken from the other queue. stands_there(id, other) is called once for each waiting
  // operation that is passed over, and must add the operation to the queue of `other`.
  template <typename Waits, typename Finds, typename StandsThere>
  OpId next(Waits&& waits, Finds&& finds, StandsThere&& stands_there) {
    if (lanes_) [[unlikely]] {
      next_ = last_ = lanes_->next(next_, last_, waits, finds, stands_there);
      return last_;
    }
    for (; head_ < entries_.size() && !waits(entries_[head_].id); ++head_) {
      only_here_ -= entries_[head_].in_both() ? 0 : 1;
    }
    if (looked_at_ > kTidiness * (entries_.size() + late_.size())) {
      tidy(waits);
      if (take_lanes()) {
        return next(waits, finds, stands_there);
      }
    }
    const auto walk = [&](std::vector<Entry>& entries, std::size_t from, OpId before) {
      for (std::size_t i = from; i < entries.size(); ++i) {
        Entry& entry = entries[i];
        if (entry.id >= before) {
          looked_at_ += i - from;
          return before;
        }
        if (!finds(entry.other & ~kInBoth, entry.in_both())) {
          if (!entry.in_both() && waits(entry.id)) {
            stands_there(entry.id, entry.other);
            entry.other |= kInBoth;
            --only_here_;
          }
        } else if (waits(entry.id) && entry.id != last_) {
          looked_at_ += i - from;
          place_ = i;
          return entry.id;
        }
      }
      looked_at_ += entries.size() - from;
      return before;
    };
    const OpId late = late_.empty() ? kNobody : walk(late_, place_of_next(late_, 0), kNobody);
    if (place_ >= entries_.size() || entries_[place_].id != next_) {
      place_ = place_of_next(entries_, head_);
    }
    const OpId first = walk(entries_, place_, late);
    // The next walk begins here, because the caller may not have started this operation.
    next_ = last_ = first;
    return first;
  }

 private:
  static constexpr std::uint32_t kInBoth = 1U << 31U;  // flag: the operation is in both queues
  static constexpr std::size_t kSlack = 1024;
  // Entries of started operations are removed when the walks have visited this many times as many
  // entries as the queue contains.
  static constexpr std::size_t kTidiness = 8;

  struct Entry {
    OpId id = 0;
    std::uint32_t other = 0;

    [[nodiscard]] bool in_both() const { return (other & kInBoth) != 0; }
  };

  [[nodiscard]] static std::vector<Entry>::iterator at(std::vector<Entry>& entries, OpId id) {
    return std::lower_bound(entries.begin(), entries.end(), id,
                            [](const Entry& entry, OpId value) { return entry.id < value; });
  }
  [[nodiscard]] std::size_t place_of_next(std::vector<Entry>& entries, std::size_t head) const {
    return next_ == 0 ? head : static_cast<std::size_t>(at(entries, next_) - entries.begin());
  }

  void merge() {
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
    const auto middle = static_cast<std::ptrdiff_t>(entries_.size());
    entries_.insert(entries_.end(), late_.begin(), late_.end());
    late_.clear();
    std::inplace_merge(entries_.begin(), entries_.begin() + middle, entries_.end(),
                       [](const Entry& a, const Entry& b) { return a.id < b.id; });
  }

  // Moves the entries into lanes if there are many entries and few different other resources. Must
  // be called after tidy().
  bool take_lanes() {
    constexpr std::size_t kMuch = 256;
    if (entries_.size() < kMuch || never_lanes_) {
      return false;
    }
    merge();
    auto lanes = std::make_unique<WaitLanes>();
    for (const Entry& entry : entries_) {
      if (!lanes->put({entry.id, entry.other & ~kInBoth, entry.in_both()})) {
        never_lanes_ = true;
        return false;
      }
    }
    lanes_ = std::move(lanes);
    entries_ = {};
    return true;
  }

  // Moves the entries out of the lanes, because there are too many different other resources.
  void leave_lanes() {
    never_lanes_ = true;
    for (const WaitLanes::Entry& entry : lanes_->entries()) {
      entries_.push_back({entry.id, entry.other | (entry.in_both ? kInBoth : 0)});
    }
    lanes_.reset();
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.id < b.id; });
    only_here_ = static_cast<std::size_t>(std::count_if(
        entries_.begin(), entries_.end(), [](const Entry& entry) { return !entry.in_both(); }));
    head_ = 0;
    looked_at_ = 0;
  }

  template <typename Waits>
  void tidy(Waits&& waits) {
    const auto is_over = [&](const Entry& entry) { return !waits(entry.id); };
    std::erase_if(entries_, is_over);
    std::erase_if(late_, is_over);
    const auto is_only_here = [](const Entry& entry) { return !entry.in_both(); };
    only_here_ =
        static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_only_here) +
                                 std::count_if(late_.begin(), late_.end(), is_only_here));
    head_ = 0;
    looked_at_ = 0;
  }

  std::vector<Entry> entries_;        // sorted by id
  std::vector<Entry> late_;           // entries added after one with a greater id; sorted by id
  std::size_t head_ = 0;              // index in entries_: all operations before it have started
  std::size_t only_here_ = 0;         // number of entries in this queue only, from head_ on
  std::size_t looked_at_ = 0;         // number of entries visited since the last tidy()
  OpId next_ = 0;                     // the walk has passed all smaller ids
  std::size_t place_ = 0;             // likely index of next_ in entries_
  OpId last_ = kNobody;               // the last operation that the walk found
  std::unique_ptr<WaitLanes> lanes_;  // if not null, used instead of entries_ and late_
  bool never_lanes_ = false;
};

}  // namespace tutti::inline sim
