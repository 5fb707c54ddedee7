// What a repair of rates asks of the flows under way, side by side in memory: what holds each of
// them back, and what would otherwise.
//
// Where many links are full at levels of their own, one flow that goes moves hundreds of them, and
// each time the flows of a link are looked at. By the paths of flows that means to look up all that
// is on the way of each. Here a flow has the least level on its way, whose it is, and the least of
// the others: one read says what holds it back but for a given link. The table must hear of all
// that comes and goes and of each level that moves, and takes memory for each flow under way, so it
// is only there as long as much is repaired.
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

namespace tutti::inline sim {

class FlowTable {
 public:
  FlowTable(FlowPaths& paths, LinkLoads& links) : paths_(paths), links_(links) {}

  [[nodiscard]] bool in_use() const { return in_use_; }
  // Takes in all flows that share links. `operations`: of the schedule; `flows`: under way.
  void start(std::size_t operations, std::size_t flows);
  // When no flow is left.
  void stop();

  void add(OpId id, const FlowPath& path);
  void remove(OpId id);

  // Levels have moved without the table being told.
  void outdate() { outdated_ = true; }
  // Before a repair: all is known again, and nothing has moved.
  void prepare();

  // The flows of a link, to have it filled.
  void read(std::uint32_t link, LinkFilling& filling) const;

  // The level of the link has moved. Tells:
  // - gaining(): links whose flows take more or less for that, by take_gain() in all;
  // - loosened(): links which hold a flow back that would now be held at another level without.
  void move(std::uint32_t link, double before, double level);
  [[nodiscard]] const std::vector<std::uint32_t>& gaining() const { return gaining_; }
  [[nodiscard]] double take_gain(std::uint32_t link) {
    const double gain = gain_[link];
    gain_[link] = 0;
    return gain;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& loosened() const { return loosened_; }

  // Calls visit(id) for the flows that another link may hold back than before prepare().
  template <typename Visit>
  void for_each_moved(Visit&& visit) const {
    for (const std::uint32_t slot : moved_) {
      visit(ids_[slot]);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  struct alignas(32) Flow {
    std::array<double, 2> levels = {};  // the least on its way, or its own; the least of the others
    std::uint32_t holder = kNone;       // the link whose level is the least; none: it is its own
    std::uint32_t first_hop = 0;
    std::uint32_t hops = 0;
    std::uint32_t kind : 30 = 0;
    bool plain : 1 = true;  // crosses each link once, one way
    bool moved : 1 = false;

    // The least level but for that of a link. Without a branch: which it is is as good as random.
    [[nodiscard]] double but_for(std::uint32_t link) const {
      return levels[holder == link ? 1 : 0];
    }
  };
  static_assert(sizeof(Flow) == 32);

  // What routes that are alike have in common.
  struct Kind {
    double weight = 0;
    double own_level = 0;
  };

  // The links on its way.
  [[nodiscard]] std::span<const std::uint32_t> links(const Flow& flow) const {
    return {hops_.data() + flow.first_hop, flow.hops};
  }
  // What it takes of one of them, where it is not plain.
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
  // The links of each flow; and if it is not plain, how often it crosses each, both ways in one
  // number.
  std::vector<std::uint32_t> hops_;
  std::vector<std::vector<std::uint32_t>> free_;     // slots by room in hops_
  std::vector<std::vector<std::uint32_t>> members_;  // slots by link; not of fat pipes
  std::vector<Kind> kinds_;
  std::unordered_map<const RouteFigures*, std::uint32_t> kind_of_figures_;
  std::vector<std::uint32_t> moved_;  // slots
  std::vector<double> gain_;          // by link
  std::vector<std::uint32_t> gaining_;
  std::vector<std::uint32_t> loosened_;
};

}  // namespace tutti::inline sim
