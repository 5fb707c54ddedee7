// Node-aware broadcast: in each phase every node that has the vector sends it to K - 1 other nodes
// at once, each from a different core; the cores of these nodes pass it on to each other.
//
// Source: the communication pattern of Bienz, Olson and Gropp, "Node-aware improvements to
// allreduce", ExaMPI 2019, as a tree (see schedules/patterns/node_tree.hpp).
#include <bit>

#include "schedules/algorithm.hpp"
#include "schedules/patterns/node_tree.hpp"
#include "schedules/patterns/phases.hpp"

namespace tutti { inline namespace schedules { namespace bcast {

void emit_nodes(const NodeShape& shape, ScheduleBuilder& builder) {
  const NodeTree tree(shape);
  const std::uint32_t p = builder.ranks();
  builder.reserve(p - 1, 3 * std::size_t{p});
  Phases phases(builder, tree.most_children());
  for (const std::vector<TreeEdge>& edges : tree.phases()) {
    phases.next();
    for (const auto& [parent, child] : edges) {
      phases.comm(parent, child, {{0, 1}, kWork, kWork});
    }
  }
}

extern constinit const Algorithm node_aware = NodeAware<emit_nodes>::algorithm({
    .collective = Collective::bcast,
    .name = "node_aware",
    .idea = "the cores of a node that has the vector send it to different nodes, and each of these "
            "passes it on within the node",
    .source = "Bienz, Olson and Gropp, ExaMPI 2019",
    .cost = "",
    .layout = one_block,
    .same_as = [](const Problem& problem) -> std::string_view {
      return is_flat(problem) && std::has_single_bit(problem.ranks) ? "binomial" : "";
    },
});

}}}  // namespace tutti::schedules::bcast
