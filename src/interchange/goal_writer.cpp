#include <algorithm>
#include <ostream>
#include <vector>

#include "schedules/notation/text_writer.hpp"
#include "src/interchange/goal.hpp"

namespace tutti { inline namespace interchange {

void write_goal(const RankNodes& nodes, std::ostream& out) {
  std::vector<bool> labelled(nodes.nodes.size());
  for (NodeId id = 0; id < nodes.nodes.size(); ++id) {
    labelled[id] = nodes.rows[id] < nodes.rows[id + 1];
  }
  for (const NodeId before : nodes.dependencies) {
    labelled[before] = true;
  }
  std::vector<StartOrder> start_orders = nodes.start_orders;
  std::ranges::sort(start_orders);
  for (const auto& [node, started] : start_orders) {
    labelled[node] = labelled[started] = true;
  }
  auto order = start_orders.begin();
  TextWriter writer(out);
  writer << "num_ranks " << nodes.ranks << '\n';
  NodeId id = 0;
  for (Rank rank = 0; rank < nodes.ranks; ++rank) {
    writer << "rank " << rank << " {\n";
    const NodeId first = id;
    for (; id < nodes.nodes.size() && nodes.nodes[id].rank == rank; ++id) {
      const RankNode& node = nodes.nodes[id];
      if (labelled[id]) {
        writer << 'l' << id - first << ": ";
      }
      if (node.kind == NodeKind::calculation) {
        writer << "calc " << node.amount;
      } else {
        const bool sends = node.kind == NodeKind::send;
        writer << (sends ? "send " : "recv ") << node.amount << (sends ? "b to " : "b from ")
               << node.peer << " tag " << node.tag;
      }
      if (node.core > 0) {
        writer << " cpu " << std::uint32_t{node.core};
      }
      if (node.nic > 0) {
        writer << " nic " << std::uint32_t{node.nic};
      }
      writer << '\n';
    }
    for (NodeId at = first; at < id; ++at) {
      for (std::uint32_t i = nodes.rows[at]; i < nodes.rows[at + 1]; ++i) {
        writer << 'l' << at - first << " requires l" << nodes.dependencies[i] - first << '\n';
      }
      for (; order != start_orders.end() && order->node == at; ++order) {
        writer << 'l' << at - first << " irequires l" << order->started - first << '\n';
      }
    }
    writer << "}\n";
  }
  writer.flush();
}

}}  // namespace tutti::interchange
