#include "schedules/patterns/nccl_tree.hpp"

#include <algorithm>
#include <array>

#include "schedules/patterns/double_tree.hpp"

namespace tutti { inline namespace schedules {

namespace {

struct ChildNode {
  std::uint32_t node;
  std::uint32_t number;  // 0 or 1, the place that NCCL gives the child
};

// A tree over nodes.
struct NodeTree {
  std::uint32_t root = 0;
  std::vector<std::vector<ChildNode>> children;  // by node
};

NodeTree node_tree(std::uint32_t nodes, bool second) {
  const RootedTree tree = double_tree(nodes, 0)[second ? 1 : 0];
  NodeTree found{root_of(tree, 0), std::vector<std::vector<ChildNode>>(nodes)};
  for (const RootedTree::Edge& edge : tree.edges) {
    // The only child of the root has the second place.
    const std::uint32_t number = edge.parent == found.root ? 1 : edge.child_number;
    found.children[edge.parent].push_back({edge.child, number});
  }
  return found;
}

// Returns the place in the chain of the GPU that talks to a child.
std::uint32_t place_for(NodeLinks links, std::uint32_t child_number, std::uint32_t gpus) {
  const bool second =
      links == NodeLinks::split || (links == NodeLinks::balanced && child_number == 0);
  return second && gpus > 1 ? 1 : 0;
}

// Returns the tree in which the GPUs of a node are the chain `full` or, in the last node, `last`.
NcclTree over_chains(const NcclChannels& channels, const std::vector<std::uint32_t>& full,
                     const std::vector<std::uint32_t>& last, bool second, NodeLinks links) {
  const auto chain_of = [&](std::uint32_t node) -> const std::vector<std::uint32_t>& {
    return node + 1 == channels.nodes() ? last : full;
  };
  const NodeTree nodes = node_tree(channels.nodes(), second);
  struct Waiting {
    std::uint32_t node;
    std::uint32_t place;  // in the chain
  };
  std::vector<Waiting> queue{{nodes.root, 0}};
  NcclTree tree;
  const std::size_t ranks = (channels.nodes() - 1) * full.size() + last.size();
  tree.vertices.reserve(ranks);
  tree.vertices.push_back({channels.rank(nodes.root, chain_of(nodes.root)[0]), 0, 0, 0, 0, 0});
  for (std::uint32_t at = 0; at < queue.size(); ++at) {
    const auto [node, place] = queue[at];
    const auto gpus = static_cast<std::uint32_t>(chain_of(node).size());
    const std::uint32_t first = static_cast<std::uint32_t>(tree.vertices.size());
    tree.levels = tree.vertices[at].level;
    const auto add = [&, level = tree.levels + 1](std::uint32_t child_node, std::uint32_t child) {
      const auto number = static_cast<std::uint32_t>(tree.vertices.size()) - first;
      tree.vertices.push_back(
          {channels.rank(child_node, chain_of(child_node)[child]), at, level, number, 0, 0});
      queue.push_back({child_node, child});
    };
    if (place + 1 < gpus) {
      add(node, place + 1);
    }
    for (const ChildNode& child : nodes.children[node]) {
      if (place_for(links, child.number, gpus) == place) {
        add(child.node, 0);
      }
    }
    tree.vertices[at].first_child = first;
    tree.vertices[at].end_child = static_cast<std::uint32_t>(tree.vertices.size());
  }
  TUTTI_INVARIANT(tree.vertices.size() == ranks);
  return tree;
}

}  // namespace

NcclTree nccl_tree(const NcclChannels& channels, std::uint32_t channel, bool second,
                   NodeLinks links) {
  const bool down = links != NodeLinks::plain && channels.entry(channel) % 2 == 1;
  return over_chains(channels, channels.chain(channel, 0, down),
                     channels.chain(channel, channels.nodes() - 1, down), second, links);
}

NcclTree nccl_rail_tree(const NcclChannels& channels, std::uint32_t gpu, bool second) {
  return over_chains(channels, {gpu}, {gpu}, second, NodeLinks::plain);
}

std::uint32_t different_nccl_trees(const Problem& problem) {
  return problem.ranks > problem.ranks_per_node ? 2 * different_nccl_channels(problem) : 1;
}

NcclTreeMoves::NcclTreeMoves(ScheduleBuilder& builder, const NcclTree& tree, std::uint32_t steps,
                             std::uint32_t at_once)
    : builder_(builder),
      tree_(tree),
      steps_(steps),
      at_once_(at_once),
      ready_(tree.vertices.size(), kNoOp),
      sent_(tree.vertices.size() * at_once, kNoOp),
      received_(tree.vertices.size() * at_once, kNoOp),
      reduced_(tree.vertices.size() * steps, kNoOp),
      forwarded_(tree.vertices.size() * steps, kNoOp) {}

void NcclTreeMoves::begin(std::uint32_t chunk, std::uint32_t block, std::uint32_t level) {
  chunk_ = chunk;
  block_ = block;
  level_ = level;
  std::fill(ready_.begin(), ready_.end(), kNoOp);
}

void NcclTreeMoves::up() {
  for (auto vertex = static_cast<std::uint32_t>(tree_.edges()); vertex > 0; --vertex) {
    const NcclTree::Vertex& from = tree_.vertices[vertex];
    const Rank to = tree_.vertices[from.parent].rank;
    const std::uint32_t level = level_ + tree_.levels - from.level;
    const Place slot{Buffer::scratch, from.number};
    OpId& reduced = reduced_[step(vertex)];
    OpId& sent = sent_[turn(vertex)];
    sent = builder_.comm({level, block_}, from.rank, to, {{block_, 1}, kWork, slot},
                         std::array{ready_[vertex], sent, reduced});
    reduced = builder_.reduce({level, (kNcclTreeChildren + 1) * block_ + from.number}, to,
                              {{block_, 1}, slot, kWork}, Operand::left,
                              std::array{sent, ready_[from.parent]});
    ready_[from.parent] = reduced;
  }
}

void NcclTreeMoves::down() {
  for (std::uint32_t vertex = 1; vertex < tree_.vertices.size(); ++vertex) {
    const NcclTree::Vertex& to = tree_.vertices[vertex];
    // The result overwrites the block after the rank has sent it up.
    OpId& received = received_[turn(vertex)];
    std::array<OpId, 3 + kNcclTreeChildren> after{
        ready_[to.parent], sent_[turn(vertex)], received, kNoOp, kNoOp, kNoOp};
    for (std::uint32_t child = to.first_child; child < to.end_child; ++child) {
      after[3 + child - to.first_child] = forwarded_[step(child)];
    }
    received =
        builder_.comm({level_ + tree_.levels + to.level - 1, block_},
                      tree_.vertices[to.parent].rank, to.rank, {{block_, 1}, kWork, kWork}, after);
    forwarded_[step(vertex)] = received;
    ready_[vertex] = received;
  }
}

}}  // namespace tutti::schedules
