// Operations that wait for one port or core, split into lanes. In addition to that port or core,
// all operations of a lane need the same second resource. They are sorted by id. If an added
// operation has a smaller id than those in the lane for its second resource, another lane is made
// for that resource. Lanes help in a segmented tree, where a rank sends tens of thousands of
// messages to two or three other ranks: if one of these ranks cannot receive, the search passes
// over all messages to this rank in one step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedules/op.hpp"

namespace tutti::inline sim {

class WaitLanes {
 public:
  static constexpr OpId kNobody = 0xffffffffU;
  static constexpr std::size_t kMost = 32;

  struct Entry {
    OpId id = 0;
    std::uint32_t other = 0;  // the other resource that the operation needs
    bool in_both = false;     // true if the operation is in the other resource's queue too
  };

  // Adds an operation, unless it has been added already. Returns false, without adding the
  // operation, if too many lanes would be needed.
  bool put(const Entry& entry) {
    Lane* into = nullptr;
    for (Lane& lane : lanes_) {
      if (lane.other != entry.other || lane.over()) {
        continue;
      }
      if (lane.places.back().id < entry.id) {
        const bool nearer = into == nullptr || into->places.back().id < lane.places.back().id;
        into = nearer ? &lane : into;
      } else if (std::binary_search(lane.places.begin(), lane.places.end(), Place{entry.id, false},
                                    [](const Place& a, const Place& b) { return a.id < b.id; })) {
        return true;
      }
    }
    if (into == nullptr) {
      const auto over =
          std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.over(); });
      if (over != lanes_.end()) {
        into = &*over;
        into->places.clear();
      } else if (lanes_.size() < kMost) {
        into = &lanes_.emplace_back();
      } else {
        return false;
      }
      into->other = entry.other;
      into->head = into->known = 0;
    }
    into->places.push_back({entry.id, entry.in_both});
    only_here_ += entry.in_both ? 0 : 1;
    return true;
  }

  // True if each operation is also in the queue of the other resource that it needs.
  [[nodiscard]] bool all_in_both() const { return only_here_ == 0; }

  // Returns the first operation from id `from` on, except `passed`, that waits and can be taken
  // from this queue. The three functions are those of WaitQueue::next().
  template <typename Waits, typename Finds, typename StandsThere>
  OpId next(OpId from, OpId passed, Waits&& waits, Finds&& finds, StandsThere&& stands_there) {
    OpId first = kNobody;
    for (Lane& lane : lanes_) {
      std::vector<Place>& places = lane.places;
      for (; lane.head < places.size() && !waits(places[lane.head].id); ++lane.head) {
        only_here_ -= places[lane.head].in_both ? 0 : 1;
        places[lane.head].in_both = true;
      }
      sweep(lane);
      const bool all = finds(lane.other, true);
      if (!all && !finds(lane.other, false)) {
        for (lane.known = std::max(lane.known, lane.head); lane.known < places.size();
             ++lane.known) {
          Place& place = places[lane.known];
          if (!place.in_both) {
            place.in_both = true;
            --only_here_;
            if (waits(place.id)) {
              stands_there(place.id, lane.other);
            }
          }
        }
        continue;
      }
      std::size_t at = all ? lane.head : std::max(lane.known, lane.head);
      if (at < places.size() && places[at].id < from) {
        at = static_cast<std::size_t>(
            std::lower_bound(places.begin() + static_cast<std::ptrdiff_t>(at), places.end(), from,
                             is_before) -
            places.begin());
      }
      for (; at < places.size() && places[at].id < first; ++at) {
        const Place& place = places[at];
        if ((all || !place.in_both) && place.id != passed && waits(place.id)) {
          first = place.id;
        }
      }
    }
    return first;
  }

  // Returns all operations, in no particular order.
  [[nodiscard]] std::vector<Entry> entries() const {
    std::vector<Entry> all;
    for (const Lane& lane : lanes_) {
      for (std::size_t i = lane.head; i < lane.places.size(); ++i) {
        all.push_back({lane.places[i].id, lane.other, lane.places[i].in_both});
      }
    }
    return all;
  }

 private:
  struct Place {
    OpId id;
    bool in_both;
  };
  struct Lane {
    std::uint32_t other = 0;
    std::vector<Place> places;  // sorted by id
    std::size_t head = 0;       // all operations before this index have started
    std::size_t known = 0;      // all entries before this index are in both queues

    [[nodiscard]] bool over() const { return head == places.size(); }
  };

  static bool is_before(const Place& place, OpId id) { return place.id < id; }

  // Removes the entries of started operations if they are many and more than half of the lane.
  static void sweep(Lane& lane) {
    constexpr std::size_t kFew = 1024;
    if (lane.head > kFew && 2 * lane.head > lane.places.size()) {
      lane.places.erase(lane.places.begin(),
                        lane.places.begin() + static_cast<std::ptrdiff_t>(lane.head));
      lane.known -= std::min(lane.known, lane.head);
      lane.head = 0;
    }
  }

  std::vector<Lane> lanes_;
  std::size_t only_here_ = 0;
};

}  // namespace tutti::inline sim
