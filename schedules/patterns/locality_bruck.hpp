// Locality-aware Bruck: an allgather within each node, then Bruck's allgather among the nodes with
// radix K, in which the messages of a node to different nodes are sent by different cores. Before
// phase i every core of node m has the blocks of the nodes m to m + K^i - 1. The node sends them,
// or those of them that the receiver lacks, to the nodes m - K^i, m - 2 K^i, ..., m - (K - 1) K^i.
// The cores of each node then gather what they have received, by Bruck's allgather with blocks of
// different sizes. Every rank receives every block once, so the same messages in reverse, with sums
// in place of copies, are a reduce-scatter.
//
// Source: Bienz, Gautam and Kharel, "A locality-aware Bruck allgather", EuroMPI/USA 2022, where a
// node has K ranks; here, nodes may differ in size (see schedules/patterns/nodes.hpp).
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "schedules/patterns/digit_hops.hpp"
#include "schedules/patterns/nodes.hpp"

namespace tutti { inline namespace schedules {

class LocalityBruck {
 public:
  // The messages between nodes; or, if `within` has hops, a round within all nodes, which gathers
  // what their cores have received between nodes, or, if `between` has no hops, their own blocks.
  struct Phase {
    HopPhase between;
    HopPhase within;
  };
  struct Message {
    Rank src;
    Rank dst;
    std::uint32_t index;                // distinguishes messages of a phase
    std::span<const BlockPair> blocks;  // each with equal numbers
  };

  // The shape must outlive this object.
  explicit LocalityBruck(const NodeShape& shape);

  [[nodiscard]] const std::vector<Phase>& phases() const { return phases_; }
  [[nodiscard]] std::size_t messages() const;
  // The most messages that a rank sends or receives in a phase.
  [[nodiscard]] std::uint32_t most_messages() const { return most_messages_; }
  void for_each_message(const Phase& phase, const std::function<void(const Message&)>& visit) const;

 private:
  void add_rounds_within(const HopPhase& between, const std::vector<std::uint32_t>& radices);
  void add_nodes(std::uint64_t first, std::uint32_t count, std::vector<BlockPair>& blocks) const;
  void add_received(std::uint32_t node, std::uint32_t core, const HopPhase& between,
                    std::vector<BlockPair>& blocks) const;
  // A sender has the blocks of the next phase.distance nodes or cores, itself included. Returns the
  // number of those that it sends over a distance: the receiver may have some already.
  [[nodiscard]] static std::uint32_t sent_over(const HopPhase& phase, std::uint32_t distance,
                                               std::uint32_t places) {
    return std::min(phase.distance, places - distance);
  }

  const Nodes& nodes_;
  std::vector<Phase> phases_;
  std::uint32_t most_messages_ = 1;
};

}}  // namespace tutti::schedules
