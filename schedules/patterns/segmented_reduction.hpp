// Reduction of segments up any kind of tree: every rank combines the partial results of its
// children with its own, and passes the sum on.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schedules/builder.hpp"
#include "schedules/patterns/segmented_tree.hpp"

namespace tutti { inline namespace schedules {

struct UpwardTree {
  std::vector<RootedTree::Edge> edges;  // in the order of towards_root()
  std::uint32_t levels = 0;
  std::uint32_t fan_out = 1;
  Operand from_children = Operand::right;
  // If true, every rank follows Open MPI's ompi_coll_base_reduce_generic step by step. For each
  // segment in turn, a rank handles its children one after the other. In each step it posts a
  // receive, waits for the receive of the step before, and combines the data that this earlier
  // receive brought. After the last child of a segment it sends the sum, and does nothing else
  // until the sum is sent. So at most two receives are posted, and only one during a send.
  bool as_open_mpi = false;
};

// Emits the messages and reductions of all blocks, each with a label of its own.
class SegmentedReduction {
 public:
  SegmentedReduction(const UpwardTree& tree, ScheduleBuilder& builder);

  // message() returns the message of a segment over an edge, given by its index in `tree.edges`,
  // and reduction() the reduction after this message.
  [[nodiscard]] OpId message(std::uint32_t segment, std::size_t edge) const {
    return first_ + static_cast<OpId>(2 * (segment * edges_ + edge));
  }
  [[nodiscard]] OpId reduction(std::uint32_t segment, std::size_t edge) const {
    return message(segment, edge) + 1;
  }

 private:
  OpId first_;
  std::size_t edges_;
};

}}  // namespace tutti::schedules
