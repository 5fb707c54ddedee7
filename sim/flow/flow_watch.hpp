// Records what held flows back and for how long, and the load of links, in runs that are watched.
//
// While a link holds a flow back, the link's clock (link_clocks.hpp) counts the service that the
// flow gets. Two readings of the clock show how long this service would take without other flows.
// The rest of the time between the readings is lost to that link. The lost times of all flows are
// summed by link. For watched flows, each stretch (see FlowStretch) is recorded.
//
// The load of a watched link changes only when flows come, go or get other rates. The load is
// computed after each of these events, and recorded if it has changed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow_record.hpp"

namespace tutti { inline namespace sim {

class FlowWatch {
 public:
  // `operations` is the number of operations of the schedule. `watched` must outlive this object.
  FlowWatch(std::size_t operations, const WatchList& watched)
      : since_(operations),
        every_op_(watched.every_op),
        most_stretches_(kStretchesPerOp * operations),
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

  // Reports that the flow runs at full speed from now on.
  void runs_alone(double now_s, OpId id) { since_[id] = {now_s, 0, kNoLink}; }
  // Reports that `link` (numbered as in FlowPaths), whose clock shows `shows`, holds the flow back
  // from now on.
  void is_held(double now_s, OpId id, std::uint32_t link, double shows) {
    since_[id] = {now_s, shows, link};
  }
  // Ends the current stretch. `shows` is what the clock of the link that held the flow back shows;
  // `own_level` is FlowPath::own_level().
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
    if (every_op_ || is_watched(id)) {
      record_.stretches.push_back({id, since.link, since.at_s, now_s, moving_s});
    }
  }

  void waited(const MessageWaits& waits) {
    if (every_op_ || is_watched(waits.id)) {
      record_.waits.push_back(waits);
    }
  }

  // Calls visit(id) once for each watched operation whose split time has been reached.
  template <typename Visit>
  void take_splits(double now_s, Visit&& visit) {
    while (next_split_ < split_.size() && watched_[split_[next_split_]].split_s <= now_s) {
      visit(watched_[split_[next_split_++]].id);
    }
  }

  // Records the loads that have changed. load_of(link) must return the load of a watched link.
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

  // True if the record of all operations takes more memory than is worthwhile.
  [[nodiscard]] bool too_long() const {
    return every_op_ && record_.stretches.size() > most_stretches_;
  }
  [[nodiscard]] bool every_op() const { return every_op_; }

  [[nodiscard]] FlowRecord& record() { return record_; }
  // Lost time by link. Links after the last entry have lost no time.
  [[nodiscard]] const std::vector<double>& lost_s() const { return lost_s_; }

 private:
  // Most messages have one or two stretches.
  static constexpr std::size_t kStretchesPerOp = 4;

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
  bool every_op_;
  std::size_t most_stretches_;
  std::span<const WatchedOp> watched_;
  std::vector<std::uint32_t> split_;  // watched operations, sorted by the time of their split
  std::size_t next_split_ = 0;
  std::span<const std::uint32_t> links_;
  std::vector<double> loads_;  // in the order of links_
  FlowRecord record_;
  std::vector<double> lost_s_;
};

}}  // namespace tutti::sim
