#include "tests/schedules/explore/event_graph.hpp"

namespace tutti::explore {

namespace {

std::uint32_t end_at(std::uint32_t id, const DraftOp& op, Rank rank) {
  if (op.kind != OpKind::comm) {
    return EventGraph::number(id, kLocal);
  }
  return EventGraph::number(id, op.src == rank ? send_done : recv_done);
}
std::uint32_t start_at(std::uint32_t id, const DraftOp& op, Rank rank) {
  if (op.kind != OpKind::comm) {
    return EventGraph::number(id, kLocal);
  }
  return EventGraph::number(id, op.src == rank ? send_post : recv_post);
}

}  // namespace

EventGraph::EventGraph(const Draft& draft, bool sends_wait) : before_(draft.ops.size() * kMoments) {
  for (std::uint32_t id = 0; id < draft.ops.size(); ++id) {
    const DraftOp& op = draft.ops[id];
    if (op.kind == OpKind::comm) {
      order(number(id, send_post), number(id, read));
      order(number(id, read), number(id, send_done));
      order(number(id, read), number(id, recv_done));
      order(number(id, recv_post), number(id, recv_done));
      if (sends_wait) {
        order(number(id, recv_post), number(id, send_done));
      }
    }
    for (const std::uint32_t earlier : op.after) {
      const DraftOp& other = draft.ops[earlier];
      for (const Rank rank : {op.src, op.dst}) {
        if (other.touches(rank)) {
          order(end_at(earlier, other, rank), start_at(id, op, rank));
        }
      }
    }
  }
  sort(draft);
}

void EventGraph::sort(const Draft& draft) {
  std::vector<std::uint32_t> waits(size());
  std::vector<std::vector<std::uint32_t>> after(size());
  std::vector<std::uint32_t> ready;
  for (std::uint32_t event = 0; event < size(); ++event) {
    waits[event] = static_cast<std::uint32_t>(before_[event].size());
    for (const std::uint32_t first : before_[event]) {
      after[first].push_back(event);
    }
    const bool exists =
        draft.ops[event / kMoments].kind == OpKind::comm || event % kMoments == kLocal;
    if (exists && waits[event] == 0) {
      ready.push_back(event);
    }
  }
  std::vector<bool> happens(size(), false);
  while (!ready.empty()) {
    const std::uint32_t event = ready.back();
    ready.pop_back();
    happens[event] = true;
    sorted_.push_back(event);
    for (const std::uint32_t next : after[event]) {
      if (--waits[next] == 0) {
        ready.push_back(next);
      }
    }
  }
  for (std::uint32_t id = 0; id < draft.ops.size(); ++id) {
    const std::uint32_t last = draft.ops[id].kind == OpKind::comm ? kMoments : 1U;
    for (std::uint32_t moment = 0; moment < last; ++moment) {
      if (!happens[number(id, moment)]) {
        stuck_.push_back(id);
        break;
      }
    }
  }
}

}  // namespace tutti::explore
