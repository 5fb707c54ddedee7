#include "tests/schedules/explore/memory_order.hpp"

#include <algorithm>

namespace tutti::explore {

namespace {

void find_events(const Draft& draft, const EventGraph& graph, MemoryOrder& order) {
  order.carried_at.push_back(0);
  std::vector<std::uint32_t> number_of(graph.size(), kNoOp);
  for (std::uint32_t id = 0; id < draft.ops.size(); ++id) {
    const DraftOp& op = draft.ops[id];
    const bool comm = op.kind == OpKind::comm;
    order.carried_at.push_back(order.carried_at.back() +
                               (comm ? static_cast<std::uint32_t>(op.pairs.size()) : 0U));
    for (const std::uint32_t moment : {std::uint32_t{read}, std::uint32_t{recv_done}}) {
      const std::uint32_t own = comm ? moment : kLocal;
      number_of[EventGraph::number(id, own)] = static_cast<std::uint32_t>(order.events.size());
      order.events.push_back({id, own});
      if (!comm) {
        break;
      }
    }
  }
  // Computes the transitive order of all events, restricted to memory events.
  order.before.assign(order.events.size(), Bits(order.events.size()));
  order.after.assign(order.events.size(), Bits(order.events.size()));
  std::vector<Bits> earlier(graph.size(), Bits(order.events.size()));
  for (const std::uint32_t event : graph.sorted()) {
    for (const std::uint32_t first : graph.before(event)) {
      earlier[event] |= earlier[first];
      if (number_of[first] != kNoOp) {
        earlier[event].add(number_of[first]);
      }
    }
    if (const std::uint32_t number = number_of[event]; number != kNoOp) {
      order.before[number] = earlier[event];
      earlier[event].for_each([&](std::uint32_t first) { order.after[first].add(number); });
    }
  }
}

template <typename Visit>
void for_each_access(const Draft& draft, const Places& places, const MemoryEvent& event,
                     Visit&& visit) {
  const DraftOp& op = draft.ops[event.op];
  const bool reads = event.moment != recv_done;
  const bool writes = event.moment != read;
  for (const BlockPair& pair : op.pairs) {
    if (reads) {
      visit(places.of(op.src, op.from, pair.from), false);
    }
    if (writes) {
      visit(places.of(op.dst, op.into, pair.into), true);
    }
  }
}

void find_races(const Draft& draft, const Places& places, MemoryOrder& order) {
  order.races.resize(order.events.size());
  order.readers.resize(places.count());
  std::vector<std::vector<std::pair<std::uint32_t, bool>>> accesses(places.count());
  for (std::uint32_t event = 0; event < order.events.size(); ++event) {
    const bool combines = draft.ops[order.events[event].op].kind == OpKind::reduce;
    for_each_access(draft, places, order.events[event], [&](std::uint32_t place, bool writes) {
      accesses[place].emplace_back(event, writes);
      if (!writes || combines) {
        order.readers[place].push_back(event);
      }
    });
  }
  for (const auto& list : accesses) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const auto [a, a_writes] = list[j];
        const auto [b, b_writes] = list[i];
        if (a != b && (a_writes || b_writes) && !order.before[a].has(b) &&
            !order.before[b].has(a)) {
          order.races[a].push_back(b);
          order.races[b].push_back(a);
          const auto ops = std::minmax(order.events[a].op, order.events[b].op);
          order.racing_ops.emplace_back(ops.first, ops.second);
        }
      }
    }
  }
  const auto once = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  for (auto& list : order.races) {
    once(list);
  }
  once(order.racing_ops);
}

}  // namespace

MemoryOrder memory_order_of(const Draft& draft, const Places& places, const EventGraph& graph) {
  MemoryOrder order;
  find_events(draft, graph, order);
  find_races(draft, places, order);
  return order;
}

}  // namespace tutti::explore
