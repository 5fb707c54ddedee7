#include "src/interchange/rank_nodes.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/rows.hpp"
#include "schedules/assemble.hpp"
#include "src/interchange/depth_labels.hpp"

namespace tutti { inline namespace interchange {

namespace {

constexpr NodeId kNoNode = 0xffffffffU;

class ApplicationMaker {
 public:
  ApplicationMaker(const RankNodes& nodes, std::string_view file, const PlaceOfNode& place)
      : nodes_(nodes),
        file_(file),
        place_(place),
        start_orders_(nodes.start_orders),
        partner_(nodes.nodes.size(), kNoNode) {
    std::ranges::sort(start_orders_);
  }

  Application make() {
    if (nodes_.nodes.empty()) {
      throw UserError(fmt::format("'{}': there are no operations", printable(file_)));
    }
    positions_ = positions_of_nodes();
    match();
    buffered_.assign(nodes_.nodes.size(), false);
    connect();
    std::vector<OpId> stuck = label_by_depth(parts_, orders_of_ranks());
    std::uint64_t buffered = 0;
    if (!stuck.empty()) {
      buffered = buffer_messages_in_cycles();
      connect();
      stuck = label_by_depth(parts_, orders_of_ranks());
    }
    if (!stuck.empty()) {
      fail_with_cycle(stuck);
    }
    settle_bare();
    return {assemble(std::move(parts_)), buffered};
  }

 private:
  [[nodiscard]] const RankNode& node(NodeId id) const { return nodes_.nodes[id]; }
  [[nodiscard]] std::span<const NodeId> dependencies(NodeId id) const {
    return std::span(nodes_.dependencies)
        .subspan(nodes_.rows[id], nodes_.rows[id + 1] - nodes_.rows[id]);
  }
  // Start orders in which `id` is the node that starts later.
  [[nodiscard]] auto start_orders(NodeId id) const {
    return std::ranges::equal_range(start_orders_, id, {}, &StartOrder::node);
  }
  [[nodiscard]] std::string file() const { return printable(file_); }
  [[nodiscard]] bool is_message(NodeId id) const { return node(id).kind != NodeKind::calculation; }

  // The sender, the receiver and the tag, which are equal for a send and its receive.
  struct Envelope {
    Rank src;
    Rank dst;
    std::uint32_t tag;
    friend auto operator<=>(const Envelope&, const Envelope&) = default;
  };
  [[nodiscard]] Envelope envelope(NodeId id) const {
    const RankNode& at = node(id);
    return at.kind == NodeKind::send ? Envelope{at.rank, at.peer, at.tag}
                                     : Envelope{at.peer, at.rank, at.tag};
  }

  // Sets partner_.
  void match() {
    std::vector<NodeId> sends;
    std::vector<NodeId> receives;
    for (NodeId id = 0; id < nodes_.nodes.size(); ++id) {
      if (is_message(id)) {
        check_peer(id);
        (node(id).kind == NodeKind::send ? sends : receives).push_back(id);
      }
    }
    const auto by_envelope = [this](NodeId a, NodeId b) { return envelope(a) < envelope(b); };
    const auto in_order = [&](NodeId a, NodeId b) {
      return std::pair(envelope(a), positions_[a]) < std::pair(envelope(b), positions_[b]);
    };
    std::ranges::sort(sends, in_order);
    std::ranges::sort(receives, in_order);
    for (std::size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
      if (i == receives.size() || (i < sends.size() && by_envelope(sends[i], receives[i]))) {
        fail_unmatched(sends[i]);
      }
      if (i == sends.size() || by_envelope(receives[i], sends[i])) {
        fail_unmatched(receives[i]);
      }
      if (node(receives[i]).amount < node(sends[i]).amount) {
        throw UserError(fmt::format("'{}', {}: receives {} bytes, but the message ({}) has {}",
                                    file(), place_(receives[i]), node(receives[i]).amount,
                                    place_(sends[i]), node(sends[i]).amount));
      }
      partner_[sends[i]] = receives[i];
      partner_[receives[i]] = sends[i];
    }
  }

  // Returns the position of each node in an order that the dependencies and start orders allow: of
  // the nodes that could come next, that with the smallest id does. Nodes in a cycle, and those
  // after them, come last.
  [[nodiscard]] std::vector<NodeId> positions_of_nodes() const {
    const auto size = static_cast<NodeId>(nodes_.nodes.size());
    const Rows<NodeId> later(size, [&](const auto& add) {
      for (NodeId id = 0; id < size; ++id) {
        for (const NodeId before : dependencies(id)) {
          add(before, id);
        }
      }
      for (const auto& [id, started] : start_orders_) {
        add(started, id);
      }
    });
    std::vector<std::uint32_t> waits(size);
    for (const NodeId id : later.values()) {
      ++waits[id];
    }
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (NodeId id = 0; id < size; ++id) {
      if (waits[id] == 0) {
        ready.push(id);
      }
    }
    std::vector<NodeId> positions(size, size);
    for (NodeId position = 0; !ready.empty(); ++position) {
      const NodeId id = ready.top();
      ready.pop();
      positions[id] = position;
      for (const NodeId after : later[id]) {
        if (--waits[after] == 0) {
          ready.push(after);
        }
      }
    }
    return positions;
  }

  // Returns the order of each rank's sends, and that of its other nodes, as pairs of operations.
  [[nodiscard]] std::vector<OpOrder> orders_of_ranks() const {
    std::vector<NodeId> ids(nodes_.nodes.size());
    std::iota(ids.begin(), ids.end(), NodeId{0});
    std::ranges::sort(ids, {},
                      [this](NodeId id) { return std::tuple(node(id).rank, positions_[id], id); });
    std::vector<OpOrder> orders;
    NodeId last_send = kNoNode;
    NodeId last_other = kNoNode;
    for (const NodeId id : ids) {
      NodeId& last = node(id).kind == NodeKind::send ? last_send : last_other;
      if (last != kNoNode && node(last).rank == node(id).rank) {
        orders.push_back({op_of_node_[last], op_of_node_[id]});
      }
      last = id;
    }
    return orders;
  }

  void check_peer(NodeId id) const {
    const RankNode& at = node(id);
    if (at.peer >= nodes_.ranks) {
      throw UserError(fmt::format("'{}', {}: rank {}; the ranks are 0 to {}", file(), place_(id),
                                  at.peer, nodes_.ranks - 1));
    }
    if (at.peer == at.rank) {
      throw UserError(
          fmt::format("'{}', {}: a message from rank {} to itself", file(), place_(id), at.rank));
    }
  }

  [[noreturn]] void fail_unmatched(NodeId id) const {
    const RankNode& at = node(id);
    const bool sent = at.kind == NodeKind::send;
    throw UserError(fmt::format("'{}', {}: rank {} {} {} bytes {} rank {} with tag {}, but {}",
                                file(), place_(id), at.rank, sent ? "sends" : "receives", at.amount,
                                sent ? "to" : "from", at.peer, at.tag,
                                sent ? "nothing there receives them" : "nothing there sends them"));
  }

  // Makes parts_ from the nodes. A message whose receive is buffered depends only on what its send
  // depends on.
  void connect() {
    parts_ = {};
    parts_.problem.collective = Collective::application;
    parts_.problem.ranks = nodes_.ranks;
    parts_.problem.element_bytes = 1;
    parts_.layout = BlockLayout::even(0, 1, 1);
    node_of_op_.clear();
    add_operations();
    helper_rows_.clear();
    for (OpId op = 0, plain = static_cast<OpId>(parts_.ops.size()); op < plain; ++op) {
      const NodeId at = node_of_op_[op];
      add_waits(op, at);
      if (op == op_of_node_[at]) {
        if (buffered_[at]) {
          parts_.dependencies.push_back(op_of_node_[partner_[at]]);
        } else if (parts_.ops[op].is_comm() && !buffered_[partner_[at]]) {
          add_waits(op, partner_[at]);
        }
      }
      parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
    }
    for (const auto& [helper, earlier] : helper_rows_) {
      parts_.dependencies.push_back(earlier);
      parts_.rows.push_back(static_cast<std::uint32_t>(parts_.dependencies.size()));
    }
  }

  // Adds an operation for each node, except that a send and its receive share one unless the
  // receive is buffered, and one for the beginning of each node that a start order needs.
  void add_operations() {
    op_of_node_.assign(nodes_.nodes.size(), kNoOp);
    for (NodeId id = 0; id < nodes_.nodes.size(); ++id) {
      const RankNode& at = node(id);
      if (at.kind == NodeKind::send) {
        op_of_node_[id] = add(OpKind::comm, at.rank, at.peer, at.amount, id);
      } else if (at.kind == NodeKind::calculation || buffered_[id]) {
        op_of_node_[id] = add(OpKind::reduce, at.rank, at.rank,
                              at.kind == NodeKind::calculation ? at.amount : 0, id);
      }
    }
    for (NodeId id = 0; id < nodes_.nodes.size(); ++id) {
      if (op_of_node_[id] == kNoOp) {
        op_of_node_[id] = op_of_node_[partner_[id]];
      }
    }
    begin_of_node_.clear();
    for (const auto& [id, started] : start_orders_) {
      if (!begin_of_node_.contains(started)) {
        const Rank rank = node(started).rank;
        begin_of_node_[started] = add(OpKind::reduce, rank, rank, 0, started);
      }
    }
  }

  // Lets `op` wait for what node `at` waits for. If the beginning of `at` is another operation,
  // `op` waits for that one.
  void add_waits(OpId op, NodeId at) {
    const auto begin = begin_of_node_.find(at);
    if (begin != begin_of_node_.end() && begin->second != op) {
      parts_.dependencies.push_back(begin->second);
      return;
    }
    for (const NodeId before : dependencies(at)) {
      OpId earlier = op_of_node_[before];
      if (is_too_strict(op, earlier, at, before)) {
        const OpId helper = add(OpKind::reduce, node(at).rank, node(at).rank, 0, at);
        helper_rows_.emplace_back(helper, earlier);
        earlier = helper;
      }
      parts_.dependencies.push_back(earlier);
    }
    for (const auto& [id, started] : start_orders(at)) {
      parts_.dependencies.push_back(begin_of_node_.at(started));
    }
  }

  OpId add(OpKind kind, Rank src, Rank dst, std::uint64_t amount, NodeId from) {
    if (amount > kMaxMessageBytes) {
      throw UserError(fmt::format("'{}', {}: {} {}; the maximum is {}", file(), place_(from),
                                  amount, kind == OpKind::comm ? "bytes" : "ns", kMaxMessageBytes));
    }
    const RankNode& at = node(from);
    Units units{at.core, at.core, at.nic, at.nic};
    if (kind == OpKind::comm) {
      const RankNode& there = node(partner_[from]);
      units.dst_core = there.core;
      units.dst_nic = there.nic;
    } else {
      units.src_nic = units.dst_nic = 0;
    }
    parts_.units.push_back(units);
    if (parts_.ops.size() >= kNoOp - 1) {
      throw UserError(fmt::format("'{}': more operations than a schedule can hold", file()));
    }
    parts_.ops.emplace_back(kind, src, dst, amount, Label{}, Buffer::work, Buffer::work,
                            Operand::left, false);
    node_of_op_.push_back(from);
    return static_cast<OpId>(parts_.ops.size() - 1);
  }

  // True if a dependency of `op` on `earlier` would be too strict: it orders two messages at both
  // of their ranks, but the file orders them only at the rank of `at`. This can happen only if both
  // messages are between the same two ranks, and if the file does not order them at the other rank,
  // or one of the ends there is buffered.
  [[nodiscard]] bool is_too_strict(OpId op, OpId earlier, NodeId at, NodeId before) const {
    const Op& a = parts_.ops[op];
    const Op& b = parts_.ops[earlier];
    if (!a.is_comm() || !b.is_comm() || !a.touches(b.src()) || !a.touches(b.dst())) {
      return false;
    }
    const NodeId there = partner_[at];
    if (buffered_[there] || buffered_[at]) {
      return true;
    }
    return !std::ranges::binary_search(dependencies(there), partner_[before]);
  }

  // Puts into buffers the messages that are in cycles. Returns their number.
  std::uint64_t buffer_messages_in_cycles() {
    using Graph =
        boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                           boost::no_property, std::uint32_t, std::uint32_t>;
    std::vector<std::pair<OpId, OpId>> edges;
    edges.reserve(parts_.dependencies.size());
    for (OpId op = 0; op < parts_.ops.size(); ++op) {
      for (std::uint32_t i = parts_.rows[op]; i < parts_.rows[op + 1]; ++i) {
        edges.emplace_back(op, parts_.dependencies[i]);
      }
    }
    const Graph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                      static_cast<std::uint32_t>(parts_.ops.size()));
    std::vector<std::uint32_t> component(parts_.ops.size());
    const std::uint32_t count = boost::strong_components(
        graph,
        boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph)));
    std::vector<std::uint32_t> members(count);
    for (const std::uint32_t each : component) {
      ++members[each];
    }
    std::uint64_t buffered = 0;
    for (OpId op = 0; op < parts_.ops.size(); ++op) {
      if (parts_.ops[op].is_comm() && members[component[op]] > 1) {
        buffered_[partner_[node_of_op_[op]]] = true;
        ++buffered;
      }
    }
    return buffered;
  }

  [[noreturn]] void fail_with_cycle(const std::vector<OpId>& cycle) const {
    constexpr std::size_t kShown = 6;
    std::string text;
    for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) {
      text += fmt::format("{} waits for ", place_(node_of_op_[cycle[i]]));
    }
    if (cycle.size() > kShown) {
      text += fmt::format("{} more, the last of which waits for ", cycle.size() - kShown);
    }
    throw UserError(
        fmt::format("'{}': a deadlock: {}{}", file(), text, place_(node_of_op_[cycle.front()])));
  }

  void settle_bare() {
    const auto message = std::ranges::find_if(parts_.ops, &Op::is_comm);
    const auto op =
        static_cast<OpId>(message == parts_.ops.end() ? 0 : message - parts_.ops.begin());
    parts_.bare = BareOp{op, 0};
  }

  const RankNodes& nodes_;
  std::string_view file_;
  const PlaceOfNode& place_;
  std::vector<StartOrder> start_orders_;  // sorted
  std::vector<NodeId> positions_;         // of each node
  std::vector<NodeId> partner_;           // of each send or receive
  std::vector<bool> buffered_;            // of each receive
  std::vector<OpId> op_of_node_;
  std::unordered_map<NodeId, OpId> begin_of_node_;
  // Operations between two messages with the same ranks, and the first of the messages. Their rows
  // come after those of all other operations.
  std::vector<std::pair<OpId, OpId>> helper_rows_;
  std::vector<NodeId> node_of_op_;
  ScheduleParts parts_;
};

std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

}  // namespace

void sort_dependencies(RankNodes& nodes) {
  for (std::size_t id = 0; id < nodes.nodes.size(); ++id) {
    std::sort(nodes.dependencies.begin() + nodes.rows[id],
              nodes.dependencies.begin() + nodes.rows[id + 1]);
  }
}

Application application_of(const RankNodes& nodes, std::string_view file,
                           const PlaceOfNode& place) {
  return ApplicationMaker(nodes, file, place).make();
}

RankNodes nodes_of(const Schedule& schedule, const Prices& prices) {
  TUTTI_INVARIANT(schedule.switches() == 0);
  const bool application = schedule.problem().collective == Collective::application;
  RankNodes made;
  made.ranks = schedule.ranks();
  // An operation is a node of each of its ranks.
  std::vector<std::vector<OpId>> ops_of_rank(schedule.ranks());
  std::vector<std::uint32_t> tags(schedule.size());
  std::uint32_t messages = 0;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    ops_of_rank[op.src()].push_back(id);
    if (op.is_comm()) {
      ops_of_rank[op.dst()].push_back(id);
      tags[id] = messages++;
    }
  }
  std::vector<NodeId> node_of_op(schedule.size());  // at the present rank
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (const OpId id : ops_of_rank[rank]) {
      const Op& op = schedule.op(id);
      node_of_op[id] = static_cast<NodeId>(made.nodes.size());
      const Units units = schedule.units(id);
      if (!op.is_comm()) {
        made.nodes.push_back({.kind = NodeKind::calculation,
                              .rank = rank,
                              .amount = application ? op.bytes() : nanoseconds(op_s(op, prices)),
                              .core = units.dst_core});
      } else if (op.src() == rank) {
        made.nodes.push_back(
            {NodeKind::send, rank, op.dst(), op.bytes(), tags[id], units.src_core, units.src_nic});
      } else {
        made.nodes.push_back({NodeKind::receive, rank, op.src(), op.bytes(), tags[id],
                              units.dst_core, units.dst_nic});
      }
      for (const OpId before : schedule.predecessors(id)) {
        if (schedule.op(before).touches(rank)) {
          made.dependencies.push_back(node_of_op[before]);
        }
      }
      made.rows.push_back(static_cast<std::uint32_t>(made.dependencies.size()));
    }
  }
  return made;
}

}}  // namespace tutti::interchange
