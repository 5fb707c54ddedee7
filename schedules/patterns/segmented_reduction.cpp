#include "schedules/patterns/segmented_reduction.hpp"

#include <array>
#include <utility>

namespace tutti { inline namespace schedules {

namespace {

// The children and the latest operations of a rank.
struct Progress {
  std::uint32_t children = 0;
  std::uint32_t combined = 0;  // number of children combined in the current segment
  OpId reduced = kNoOp;
  OpId reduced_before = kNoOp;
  OpId sent = kNoOp;  // the rank's latest message to its parent
  OpId sent_before = kNoOp;
};

OpId either(OpId first, OpId second) { return first == kNoOp ? second : first; }

// Returns the last operation of the rank before it posts its next receive. A rank posts a receive,
// waits for the previous receive, and combines the data of that receive. After it has posted the
// first receive of a segment and combined, it sends the sum of the previous segment.
OpId before_posting(const Progress& rank) {
  if (rank.combined == 1) {
    return either(rank.sent, rank.reduced_before);
  }
  return rank.children == 1 ? either(rank.sent_before, rank.reduced_before) : rank.reduced_before;
}

}  // namespace

SegmentedReduction::SegmentedReduction(const UpwardTree& tree, ScheduleBuilder& builder)
    : first_(builder.size()), edges_(tree.edges.size()) {
  std::vector<Progress> ranks(builder.ranks());
  for (const RootedTree::Edge& edge : tree.edges) {
    ++ranks[edge.parent].children;
  }
  builder.each_segment(builder.blocks(), [&](std::uint32_t segment) {
    for (Progress& rank : ranks) {
      rank.combined = 0;
    }
    for (const RootedTree::Edge& edge : tree.edges) {
      Progress& child = ranks[edge.child];
      Progress& parent = ranks[edge.parent];
      const Label label{tree.levels - 1 - edge.level, segment};
      const Place slot{Buffer::scratch, edge.child_number};
      std::array<OpId, 2> starts_after{child.combined > 0 ? child.reduced : kNoOp, kNoOp};
      std::array<OpId, 2> combined_after{kNoOp, parent.combined > 0 ? parent.reduced : kNoOp};
      if (tree.as_open_mpi) {
        starts_after = {child.combined > 0 ? child.reduced : child.sent, before_posting(parent)};
        combined_after[1] =
            parent.combined > 0 ? parent.reduced : either(parent.sent, parent.reduced);
      }
      const OpId arrival =
          builder.comm(label, edge.child, edge.parent, {{segment, 1}, kWork, slot}, starts_after);
      combined_after[0] = arrival;
      parent.reduced_before = std::exchange(
          parent.reduced,
          builder.reduce({label.level, segment * tree.fan_out + edge.child_number}, edge.parent,
                         {{segment, 1}, slot, kWork}, tree.from_children, combined_after));
      ++parent.combined;
      child.sent_before = std::exchange(child.sent, arrival);
    }
  });
}

}}  // namespace tutti::schedules
