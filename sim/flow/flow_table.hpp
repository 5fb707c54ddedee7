// A table of the flows under way, for repairs of rates. It stores, adjacent in memory, which link
// or limit holds each flow back, and at which level the flow would run if this link or limit did
// not exist.
//
// If many links are full at different levels, a single flow that leaves moves the levels of
// hundreds of links, and all flows of each such link must be visited. With paths, each visit would
// look up every link on the flow's route. The table instead stores the least level on the route,
// the link with that level, and the least level of the other links. A single read then shows what
// holds the flow back apart from a given link. The table must be told about all flows that come and
// go, and about each level that moves. It needs memory for each flow under way, so it exists only
// while many repairs are made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedules/op.hpp"
#include "sim/flow/flow_paths.hpp"
#include "sim/flow/link_filling.hpp"
#include "sim/flow/link_loads.hpp"

namespace tutti { inline namespace sim {

class FlowTable {
 public:
  FlowTable(FlowPaths& paths, LinkLoads& links) : paths_(paths), links_(links) {}

  [[nodiscard]] bool in_use() const { return in_use_; }
  // Adds all flows that share links. `operations` is the size of the schedule; `flows` is the
  // number of flows under way.
  void start(std::size_t operations, std::size_t flows);
  // Empties the table. Must be called when no flow is left.
  void stop();

  void add(OpId id, const FlowPath& path);
  void remove(OpId id);

  // Must be called if levels have moved without a call to move().
  void outdate() { outdated_ = true; }
  // Prepares a repair: brings the table up to date, and forgets which flows have moved.
  void prepare();

  // Reads the flows of a link into `filling`.
  void read(std::uint32_t link, LinkFilling& filling) const;

  // Updates the table after the level of `link` has moved. Reports:
  // - gaining(): other links on which flows of `link` now use more or less bandwidth; take_gain()
  //   returns the change.
  // - loosened(): links that hold back a flow whose least level on its other links has changed.
  void move(std::uint32_t link, double before, double level);
  [[nodiscard]] const std::vector<std::uint32_t>& gaining() const { return gaining_; }
  [[nodiscard]] double take_gain(std::uint32_t link) {
    const double gain = gain_[link];
    gain_[link] = 0;
    return gain;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& loosened() const { return loosened_; }

  // Calls visit(id) for each flow that may be held back by a different link than at the last call
  // of prepare().
  template <typename Visit>
  void for_each_moved(Visit&& visit) const {
    for (const std::uint32_t slot : moved_) {
      visit(ids_[slot]);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct alignas(32) Flow {
    // The two least values among the levels of the flow's links and the flow's own level.
    std::array<double, 2> levels = {};
    std::uint32_t holder = kNone;  // link with the least level; kNone: the flow's own level is less
    std::uint32_t first_hop = 0;
    std::uint32_t hops = 0;
    std::uint32_t kind : 30 = 0;
    bool plain : 1 = true;  // true if the flow crosses each link once, in one direction
    bool moved : 1 = false;

    // Returns the least level, leaving out the level of `link`. Has no branch, because a branch
    // could not be predicted.
    [[nodiscard]] double but_for(std::uint32_t link) const {
      return levels[holder == link ? 1 : 0];
    }
  };
  static_assert(sizeof(Flow) == 32);

  // Properties that all routes of a kind share.
  struct Kind {
    double weight = 0;
    double own_level = 0;
  };

  // Returns the links on a flow's route.
  [[nodiscard]] std::span<const std::uint32_t> links(const Flow& flow) const {
    return {hops_.data() + flow.first_hop, flow.hops};
  }
  // Returns Hop::consumption() of the flow on one of its links. The flow must not be plain.
  [[nodiscard]] double consumption(const Flow& flow, std::size_t hop) const {
    const std::uint32_t crossings = hops_[flow.first_hop + flow.hops + hop];
    return Hop(0, crossings >> 16U, crossings & Hop::kMostCrossings).consumption(false);
  }
  [[nodiscard]] double claim(const Flow& flow, std::uint32_t link) const;
  [[nodiscard]] std::uint32_t kind_of(const FlowPath& path);
  [[nodiscard]] std::uint32_t slot_for(std::size_t room);
  void look(Flow& flow) const;
  void stay_held(std::uint32_t slot, std::uint32_t link, double before, double level);
  void note_moved(std::uint32_t slot);

  FlowPaths& paths_;
  LinkLoads& links_;
  bool in_use_ = false;
  bool outdated_ = false;
  std::vector<std::uint32_t> slots_;  // by operation
  std::vector<Flow> flows_;
  std::vector<OpId> ids_;  // by slot
  // The links of each flow. If a flow is not plain, its links are followed by the numbers of times
  // that it crosses each link, with both directions in one number.
  std::vector<std::uint32_t> hops_;
  // Free slots, by the number of their entries in hops_.
  std::vector<std::vector<std::uint32_t>> free_;
  // Slots of the flows on each link; empty for fat pipes.
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<Kind> kinds_;
  std::unordered_map<const RouteFigures*, std::uint32_t> kind_of_figures_;
  std::vector<std::uint32_t> moved_;  // slots of moved flows
  std::vector<double> gain_;          // by link
  std::vector<std::uint32_t> gaining_;
  std::vector<std::uint32_t> loosened_;
};

}}  // namespace tutti::sim
