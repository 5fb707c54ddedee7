// Node-aware reduction: the node-aware broadcast in reverse. The cores of a node combine their
// vectors; in each phase a node then receives the sums of K - 1 other nodes at once, each at a
// different core, and its cores combine these.
//
// Source: the communication pattern of Bienz, Olson and Gropp, "Node-aware improvements to
// allreduce", ExaMPI 2019, as a tree (see schedules/patterns/node_tree.hpp).
#include <bit>
#include <ranges>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/node_tree.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace reduce {

namespace {

// A node's cores combine their vectors with sums of other nodes before they combine them with each
// other.
bool keeps_order(const Problem& problem) {
  const Nodes nodes(problem);
  return problem.root == 0 && (nodes.count() == 1 || nodes.largest() == 1);
}

}  // namespace

void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder) {
  const NodeTree tree(shape);
  const std::uint32_t p = builder.ranks();
  builder.reserve(2 * std::size_t{p - 1}, 5 * std::size_t{p});
  Phases phases(builder, tree.most_children());
  std::vector<std::uint32_t> received(p);
  for (const std::vector<TreeEdge>& edges : std::views::reverse(tree.phases())) {
    phases.next();
    for (const auto& [parent, child] : edges) {
      phases.comm(child, parent, {{0, 1}, kWork, {Buffer::scratch, received[parent]++}});
    }
    for (const auto& [parent, child] : edges) {
      for (std::uint32_t i = 0; i < received[parent]; ++i) {
        phases.reduce(parent, {{0, 1}, {Buffer::scratch, i}, kWork}, Operand::right, i);
      }
      received[parent] = 0;
    }
  }
}

extern constinit const Algorithm node_aware = NodeAware<emit_nodes>::algorithm({
    .collective = Collective::reduce,
    .name = "node_aware",
    .idea = "the cores of a node combine their vectors, and then the sums of other nodes, each of "
            "which arrives at a different core",
    .source = "Bienz, Olson and Gropp, ExaMPI 2019",
    .cost = "",
    .keeps_order = keeps_order,
    .order_kept = "root 0, if there is one group, or every group has one rank",
    .layout = one_block,
    .same_as = [](const Problem& problem) -> std::string_view {
      return is_flat(problem) && std::has_single_bit(problem.ranks) ? "binomial" : "";
    },
});

}}}  // namespace tutti::schedules::reduce
