#include "sim/flow/level_changes.hpp"

namespace tutti { inline namespace sim {

// The order of the steps matters. Levels change first. Then flows move between clocks, which still
// run at their old paces. The paces of clocks change last.
void LevelChanges::apply(double now_s, std::span<const OpId> arrivals, Flows flows) {
  for (const Change& change : changes_) {
    links_.level(change.link) = change.level;
  }
  for (const OpId id : arrivals) {
    assign(now_s, id, paths_.of(id));
  }
  // Flows that the same link holds back as before are visited only for note_speed(), which need not
  // be called any more once some flow was slower than it would be alone.
  if (flows == Flows::in_table && rates_.disturbed()) {
    table_.for_each_moved([&](OpId id) { assign(now_s, id, paths_.of(id)); });
  } else if (flows != Flows::all_new) {
    for (const Change& change : changes_) {
      links_.flows(change.link).for_each([&](OpId id) {
        const FlowPath path = paths_.of(id);
        if (concerns(change.link, id, path)) {
          assign(now_s, id, path);
        }
      });
    }
  }
  for (const Change& change : changes_) {
    rates_.set_level(now_s, change.link, change.level);
  }
  changes_.clear();
}

// Returns false if something other than this link holds the flow back, both before and after the
// change.
bool LevelChanges::concerns(std::uint32_t link, OpId id, const FlowPath& path) const {
  const double level = links_.level(link);
  if (notes_[id] == kFlowAtCap) {
    return level < path.own_level();
  }
  const std::uint32_t holds = path.link(path.hops()[notes_[id] - kFlowByHop]);
  return holds == link || level < links_.level(holds);
}

// Finds the link that holds a flow back: the link with the least level on its route. If several
// links have that level, the flow stays with the link that held it back before.
void LevelChanges::assign(double now_s, OpId id, const FlowPath& path) {
  const std::uint32_t before = notes_[id];
  double least = path.own_level();
  std::uint32_t note = kFlowAtCap;
  double of_before = before == kFlowAtCap ? least : kNotFull;
  for (std::uint32_t hop = 0; hop < path.hops().size(); ++hop) {
    const double level = links_.level(path.link(path.hops()[hop]));
    if (level < least) {
      least = level;
      note = kFlowByHop + hop;
    }
    if (before == kFlowByHop + hop) {
      of_before = level;
    }
  }
  if (note >= kFlowByHop) {
    rates_.note_speed(path.figures(), least * path.figures().weight);
  }
  if (of_before > least || before == kNewFlow) {
    rates_.set(now_s, id, path, note);
  }
}

}}  // namespace tutti::sim
