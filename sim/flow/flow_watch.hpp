// Records what held flows back and for how long, and the load of links, in runs that are watched.
//
// While a link holds a flow back, its clock (link_clocks.hpp) counts the flow's service. The time
// that this service would take without other flows follows from two readings of the clock. The rest
// of the time is lost to that link. Lost time of all flows is summed by link. For watched flows,
// each stretch is recorded.
//
// The load of a watched link changes only when flows come, go or get other rates. It is computed
// after each such moment, and recorded if it has changed.
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
  // A stretch of a watched operation ends at the time of its split.
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

  // From now on, the flow runs at full speed ...
  void runs_alone(double now_s, OpId id) { since_[id] = {now_s, 0, kNoLink}; }
  // ... or is held back by `link` (a number of FlowPaths), whose clock shows `shows`.
  void is_held(double now_s, OpId id, std::uint32_t link, double shows) {
    since_[id] = {now_s, shows, link};
  }
  // Ends the current stretch. `shows` is the clock of the link that held the flow back; `own_level`
  // is that of FlowPath.
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

  // Visits the watched operations whose split is due by now, each only once.
  template <typename Visit>
  void take_splits(double now_s, Visit&& visit) {
    while (next_split_ < split_.size() && watched_[split_[next_split_]].split_s <= now_s) {
      visit(watched_[split_[next_split_++]].id);
    }
  }

  // Records loads after rates may have changed. load_of(link) returns the load of a watched link.
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
  // Lost time by link; may be shorter than the number of links.
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
  std::vector<std::uint32_t> split_;  // watched operations, sorted by the time of their split
  std::size_t next_split_ = 0;
  std::span<const std::uint32_t> links_;
  std::vector<double> loads_;  // in the order of links_
  FlowRecord record_;
  std::vector<double> lost_s_;
};

}  // namespace tutti::inline sim
