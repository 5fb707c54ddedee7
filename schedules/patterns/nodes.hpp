// Node-aware algorithms: all cores of a node talk to other nodes at once, each to a different one.
// Nodes are the groups of --groups or --cores-per-node; they may differ in size, and their ranks
// need not be consecutive. In a phase between nodes, a node exchanges up to K - 1 messages with
// other nodes, where K is --radix: core j of the node handles the messages j, j + c, j + 2 c, ...,
// where c is the number of its cores. Before and after these phases, the cores of each node share
// what they have, in rounds within the nodes.
//
// Source: Bienz, Olson and Gropp, "Node-aware improvements to allreduce", ExaMPI 2019, where the
// number of nodes is a power of K = c. By default, K is here the radix with which a core sends the
// fewest messages to other nodes: c + 1, so that no core is idle, or a larger one that saves
// phases.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/group_tree.hpp"

namespace tutti { inline namespace schedules {

class Nodes {
 public:
  // refuse_nodes(problem) must return nothing. In a collective with a root, node 0 is that of the
  // root, and the root is its core 0; the other nodes and cores follow in turn.
  explicit Nodes(const Problem& problem);
  // Every rank must be a core of one node.
  explicit Nodes(std::vector<std::vector<Rank>> cores);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(cores_.size()); }
  [[nodiscard]] std::uint32_t size(std::uint32_t node) const {
    return static_cast<std::uint32_t>(cores_[node].size());
  }
  [[nodiscard]] const std::vector<Rank>& cores(std::uint32_t node) const { return cores_[node]; }
  // The rank that sends or receives message `message` of the node in a phase between nodes.
  [[nodiscard]] Rank core_for(std::uint32_t node, std::uint32_t message) const {
    return cores_[node][message % size(node)];
  }
  [[nodiscard]] std::uint32_t smallest() const { return smallest_; }
  [[nodiscard]] std::uint32_t largest() const { return largest_; }
  // The most messages that a core sends or receives if every node has `messages` of them.
  [[nodiscard]] std::uint32_t per_core(std::uint32_t messages) const {
    return (messages + smallest_ - 1) / smallest_;
  }

 private:
  std::vector<std::vector<Rank>> cores_;
  std::uint32_t smallest_ = 0;
  std::uint32_t largest_ = 0;
};

// Parameters of a node-aware schedule: the nodes, and the radices of the phases between nodes and
// of the rounds within them, as radices_for() takes them.
struct NodeShape {
  Nodes nodes;
  std::vector<std::uint32_t> between;
  std::vector<std::uint32_t> within;
};
[[nodiscard]] NodeShape node_shape(const Problem& problem);

// These functions are in the files of the algorithms.
namespace allreduce {
void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder);
}
namespace bcast {
void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder);
}
namespace reduce {
void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder);
}
namespace barrier {
void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder);
}
namespace allgather {
void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder);
}
namespace reduce_scatter {
void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder);
}

// The radix with which a core sends the fewest messages to other nodes and, among these, the one
// with the fewest phases; 2 if all nodes have one core.
[[nodiscard]] std::uint32_t node_radix(const Problem& problem);
inline constexpr DefaultedNumber kNodeRadix{
    Option::radix,
    &Problem::radix,
    0,
    node_radix,
    "the number of cores of the smallest node plus 1, or more if that saves phases",
    true};

// Implements Algorithm::refusal and Algorithm::limits.
[[nodiscard]] std::optional<Sentence> refuse_nodes(const Problem& problem);
inline constexpr std::array<std::string_view, 5> kNodeLimits{
    GroupTree::kLimits[0], GroupTree::kLimits[1], GroupTree::kLimits[2],
    "$groups of more than one level", "$radix 1"};

// True if there is one node, or if every node has one core, and the radix is the default: cores and
// nodes then play the same part, with a radix of 2.
[[nodiscard]] bool is_flat(const Problem& problem);

// Provides the functions of an Algorithm. The caller sets its texts and its layout.
template <auto kEmit>
struct NodeAware {
  static constexpr Algorithm algorithm(Algorithm own) {
    own.options |= bit(Option::groups) | bit(Option::ranks_per_node) | bit(Option::radix);
    own.own_numbers = {&kNodeRadix, 1};
    own.refusal = refuse_nodes;
    own.limits = kNodeLimits;
    own.emit = [](const Problem& problem, ScheduleBuilder& builder) {
      kEmit(node_shape(problem), builder);
    };
    own.one_shape = always;
    return own;
  }
};

}}  // namespace tutti::schedules
