// What held flows back, and for how long, and what was in use of links: kept by a run that is
// watched, and by no other.
//
// While a link holds a flow back, its clock (link_clocks.hpp) counts what the flow gets, so what
// that would have taken alone follows from two readings; the rest of the time is lost, to that
// link. Of every flow what it has lost goes to the links; of those that are watched each stretch
// is kept.
//
// How much of a watched link is in use changes only where flows come, go or get other rates; it is
// asked for after each such moment, and kept where it is not what it was.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow_record.hpp"

namespace tutti::inline sim {

class FlowWatch {
 public:
  // A stretch of a watched operation ends where a split of it is due.
  FlowWatch(std::size_t operations, const WatchList& watched)
      : since_(operations),
        watched_(watched.ops),
        split_(watched.ops.size()),
        links_(watched.links),
        loads_(watched.links.size(), 0) {
    for (std::uint32_t i = 0; i < watched_.size(); ++i) {
      split_[i] = i;
    }
    std::sort(split_.begin(), split_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return watched_[a].split_s < watched_[b].split_s;
    });
  }

  // From now on the flow is as fast as it is alone, ...
  void runs_alone(double now_s, OpId id) { since_[id] = {now_s, 0, kNoLink}; }
  // ... or `link` (in the count of FlowPaths) holds it back, whose clock shows `shows`.
  void is_held(double now_s, OpId id, std::uint32_t link, double shows) {
    since_[id] = {now_s, shows, link};
  }
  // Up to now it was so. `shows` is the clock of the link that held it back, `own_level` as in
  // FlowPath.
  void was(double now_s, OpId id, double shows, double own_level) {
    const Since& since = since_[id];
    const double spent_s = now_s - since.at_s;
    if (spent_s <= 0) {
      return;
    }
    const bool held = since.link != kNoLink;
    const double moving_s =
        held ? std::clamp((shows - since.shows) / own_level, 0.0, spent_s) : spent_s;
    if (held) {
      if (since.link >= lost_s_.size()) {
        lost_s_.resize(since.link + 1);
      }
      lost_s_[since.link] += spent_s - moving_s;
    }
    if (is_watched(id)) {
      record_.stretches.push_back({id, since.link, since.at_s, now_s, moving_s});
    }
  }

  // The watched operations with a split that is due by now; each is given out once.
  template <typename Visit>
  void take_splits(double now_s, Visit&& visit) {
    while (next_split_ < split_.size() && watched_[split_[next_split_]].split_s <= now_s) {
      visit(watched_[split_[next_split_++]].id);
    }
  }

  // Rates may have changed: load_of(link) says how much of each watched link is in use now.
  template <typename LoadOf>
  void note_loads(double now_s, LoadOf&& load_of) {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const double load = load_of(links_[i]);
      if (load != loads_[i]) {
        loads_[i] = load;
        record_.loads.push_back({now_s, load, links_[i]});
      }
    }
  }

  [[nodiscard]] FlowRecord& record() { return record_; }
  // By link; may be shorter than there are links.
  [[nodiscard]] const std::vector<double>& lost_s() const { return lost_s_; }

 private:
  struct Since {
    double at_s = 0;
    double shows = 0;
    std::uint32_t link = kNoLink;
  };

  [[nodiscard]] bool is_watched(OpId id) const {
    const auto at = std::lower_bound(watched_.begin(), watched_.end(), id,
                                     [](const WatchedOp& op, OpId of) { return op.id < of; });
    return at != watched_.end() && at->id == id;
  }

  std::vector<Since> since_;  // by operation
  std::span<const WatchedOp> watched_;
  std::vector<std::uint32_t> split_;  // watched operations in the order of their splits
  std::size_t next_split_ = 0;
  std::span<const std::uint32_t> links_;
  std::vector<double> loads_;  // in the order of links_
  FlowRecord record_;
  std::vector<double> lost_s_;
};

}  // namespace tutti::inline sim
