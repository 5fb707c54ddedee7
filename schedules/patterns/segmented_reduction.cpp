#include "schedules/patterns/segmented_reduction.hpp"

#include <array>
#include <utility>

namespace tutti {

namespace {

// The last operations of a rank.
struct Progress {
  OpId partial = kNoOp;  // its last reduction of the current segment
  OpId reduced = kNoOp;  // its last reduction of any segment
  OpId reduced_before = kNoOp;
  OpId sent = kNoOp;  // its last message to its parent
  OpId sent_before = kNoOp;
};

}  // namespace

SegmentedReduction::SegmentedReduction(const UpwardTree& tree, ScheduleBuilder& builder)
    : first_(builder.size()), edges_(tree.edges.size()) {
  std::vector<Progress> ranks(builder.ranks());
  for (std::uint32_t segment = 0; segment < builder.blocks(); ++segment) {
    for (Progress& rank : ranks) {
      rank.partial = kNoOp;
    }
    for (const RootedTree::Edge& edge : tree.edges) {
      Progress& child = ranks[edge.child];
      Progress& parent = ranks[edge.parent];
      const Label label{tree.levels - 1 - edge.level, segment};
      const Place slot{Buffer::scratch, edge.child_number};
      const bool first = parent.partial == kNoOp;
      std::array<OpId, 3> starts_after{child.partial, kNoOp, kNoOp};
      std::array<OpId, 3> combined_after{kNoOp, parent.partial, kNoOp};
      if (tree.as_open_mpi) {
        // The sum of the segment before is sent when the first receive has been posted, and before
        // the second one is.
        starts_after = {child.partial == kNoOp ? child.sent : child.partial, parent.reduced_before,
                        first ? parent.sent_before : parent.sent};
        combined_after = {kNoOp, parent.reduced, first ? parent.sent : kNoOp};
      }
      const OpId arrival =
          builder.comm(label, edge.child, edge.parent, {{segment, 1}, kWork, slot}, starts_after);
      combined_after[0] = arrival;
      const OpId sum =
          builder.reduce({label.level, segment * tree.fan_out + edge.child_number}, edge.parent,
                         {{segment, 1}, slot, kWork}, tree.from_children, combined_after);
      child.sent_before = std::exchange(child.sent, arrival);
      parent.reduced_before = std::exchange(parent.reduced, sum);
      parent.partial = sum;
    }
  }
}

}  // namespace tutti
