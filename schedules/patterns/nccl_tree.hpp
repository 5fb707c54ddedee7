// NCCL's double tree. Two binary trees over the nodes (see double_tree.hpp) are joined with a chain
// of the GPUs in each node, or with nothing if only one GPU of each node takes part. A chunk of a
// channel goes up a tree, where every rank adds its own data, and down again.
//
// Source: NCCL 2.30.7, src/graph/trees.cc, src/graph/connect.cc (connectTrees, connectNvls) and
// src/device/all_reduce.h (runTreeSplit).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedules/builder.hpp"
#include "schedules/defaulted_number.hpp"
#include "schedules/patterns/nccl_channels.hpp"
#include "schedules/patterns/nccl_chunks.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

struct NcclTree {
  // A rank of the tree. The vertices are in breadth-first order, and vertex 0 is the root, so a
  // parent comes before its children, and the children of a vertex are adjacent.
  struct Vertex {
    Rank rank;
    std::uint32_t parent;  // index of a vertex; 0 for the root
    std::uint32_t level;   // number of messages on the way from the root
    std::uint32_t number;  // index among the children of the parent
    std::uint32_t first_child;
    std::uint32_t end_child;
  };
  std::vector<Vertex> vertices;
  std::uint32_t levels = 0;  // level of the last vertex

  [[nodiscard]] std::size_t edges() const { return vertices.size() - 1; }
};

// Largest number of children: the next GPU of the chain, and the GPUs of two other nodes.
inline constexpr std::uint32_t kNcclTreeChildren = 3;

// Returns the tree of a channel over all ranks. The children of a rank are the next GPU of its
// chain, then the GPUs of other nodes. `second` selects the second of the two trees over the nodes.
// The chain begins at the channel's entry and goes upwards. With $node_links balanced or split, it
// goes to the other GPU of the pair (0, 1), (2, 3), ... first, which is below the same PCIe switch.
[[nodiscard]] NcclTree nccl_tree(const NcclChannels& channels, std::uint32_t channel, bool second,
                                 NodeLinks links);
// Returns the tree over one GPU of each node: the ranks `gpu`, `gpu` + G, ... with G GPUs per node.
// The last node must have this GPU, too.
[[nodiscard]] NcclTree nccl_rail_tree(const NcclChannels& channels, std::uint32_t gpu, bool second);

// Number of channels with different trees: two for each card of the smallest node, or 1 on a single
// node.
[[nodiscard]] std::uint32_t different_nccl_trees(const Problem& problem);
inline constexpr DefaultedNumber kNcclTrees{
    Option::channels,
    &Problem::channels,
    0,
    different_nccl_trees,
    "twice the number of cards of the smallest node, or 1 on a single node",
    true};

// Moves the chunks of a channel up and down a tree. At most `at_once` messages of a connection are
// on their way at a time. At most `steps` chunks are in the buffer of a connection: the next one is
// sent only after the receiver has combined or forwarded the oldest one. Each chunk needs one call
// of begin(), one of up() and one of down().
class NcclTreeMoves {
 public:
  // Upper bounds on the operations and dependencies of a chunk and an edge of the tree.
  static constexpr std::size_t kOps = 3;
  static constexpr std::size_t kDependencies = 9;

  NcclTreeMoves(ScheduleBuilder& builder, const NcclTree& tree, std::uint32_t steps = kNcclSteps,
                std::uint32_t at_once = 1);

  // Begins with chunk `chunk` of the channel, which is block `block` of the schedule. All data of
  // the ranks are ready, except where set_ready() says otherwise. `level` is the first level of
  // labels.
  void begin(std::uint32_t chunk, std::uint32_t block, std::uint32_t level);
  void set_ready(std::uint32_t vertex, OpId op) { ready_[vertex] = op; }
  // The operation after which the rank may send its block, or has the result.
  [[nodiscard]] OpId ready(std::uint32_t vertex) const { return ready_[vertex]; }
  // Sums up the block at the root. A child's data are put into the scratch slot with the child's
  // number.
  void up();
  // Sends the root's block to all ranks.
  void down();

 private:
  [[nodiscard]] std::size_t step(std::uint32_t vertex) const {
    return std::size_t{vertex} * steps_ + chunk_ % steps_;
  }
  [[nodiscard]] std::size_t turn(std::uint32_t vertex) const {
    return std::size_t{vertex} * at_once_ + chunk_ % at_once_;
  }

  ScheduleBuilder& builder_;
  const NcclTree& tree_;
  std::uint32_t steps_;
  std::uint32_t at_once_;
  std::uint32_t chunk_ = 0;
  std::uint32_t block_ = 0;
  std::uint32_t level_ = 0;
  // By vertex: the last operation on its block.
  std::vector<OpId> ready_;
  // By vertex and turn: its last messages to its parent, and the parent's last messages to it.
  std::vector<OpId> sent_;
  std::vector<OpId> received_;
  // By vertex and step of the connection with the parent: the reduction at the parent, and the
  // message from the parent.
  std::vector<OpId> reduced_;
  std::vector<OpId> forwarded_;
};

// Largest number of blocks for which NcclTreeMoves has labels.
inline constexpr std::uint64_t kMostNcclChunks = kMaxSegment / (kNcclTreeChildren + 1);

}}  // namespace tutti::schedules
