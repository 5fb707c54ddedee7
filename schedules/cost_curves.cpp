#include "schedules/cost_curves.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

namespace {

// One end of a message: the rank that sends or receives it in the round `label`.
struct Part {
  Label label;
  Rank rank = 0;
  OpId id = 0;

  friend bool operator<(const Part& a, const Part& b) {
    return std::tie(a.label, a.rank, a.id) < std::tie(b.label, b.rank, b.id);
  }
};

class Parts {
 public:
  Parts(const Schedule& schedule, bool senders) {
    for (OpId id = 0; id < schedule.size(); ++id) {
      const Op& op = schedule.op(id);
      if (op.is_comm()) {
        all_.push_back({op.label(), senders ? op.src() : op.dst(), id});
      }
    }
    std::sort(all_.begin(), all_.end());
  }

  // Calls visit(id) for each message of `rank` in round `label` until a call returns true. Returns
  // true if a call returned true.
  template <typename Visit>
  bool any_of(Label label, Rank rank, Visit&& visit) const {
    auto at = std::lower_bound(all_.begin(), all_.end(), Part{label, rank, 0});
    for (; at != all_.end() && at->label == label && at->rank == rank; ++at) {
      if (visit(at->id)) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] bool has(Label label, Rank rank) const {
    return any_of(label, rank, [](OpId) { return true; });
  }

 private:
  std::vector<Part> all_;
};

bool into_sent(const Schedule& schedule, const Parts& senders, OpId id) {
  const Op& op = schedule.op(id);
  return schedule.has_payload() && !op.pooled() &&
         senders.any_of(op.label(), op.rank(), [&](OpId message) {
           return message < id && schedule.op(message).from() == op.into() &&
                  !schedule.op(message).pooled() &&
                  schedule.payload(message).from.first == schedule.payload(id).into_first;
         });
}

const CostCurve& local_curve(const Schedule& schedule, const CostCurves& curves,
                             const Parts& senders, OpId id) {
  if (schedule.op(id).kind() == OpKind::copy) {
    return curves.copy;
  }
  return curves.reduce_sent.empty() || !into_sent(schedule, senders, id) ? curves.reduce
                                                                         : curves.reduce_sent;
}

double s_per_byte(const std::vector<MemoryPoint>& memory, double working_set_bytes) {
  const auto after = std::upper_bound(
      memory.begin(), memory.end(), working_set_bytes,
      [](double wanted, const MemoryPoint& point) { return wanted < point.working_set_bytes; });
  if (after == memory.begin()) {
    return 0;
  }
  const MemoryPoint& low = *(after - 1);
  if (after == memory.end()) {
    return low.s_per_byte;
  }
  const double part = std::log(working_set_bytes / low.working_set_bytes) /
                      std::log(after->working_set_bytes / low.working_set_bytes);
  return low.s_per_byte + part * (after->s_per_byte - low.s_per_byte);
}

}  // namespace

CostPiece CostCurve::at(std::uint64_t bytes, double working_set_bytes) const {
  TUTTI_INVARIANT(!pieces.empty());
  const auto after = std::upper_bound(
      pieces.begin() + 1, pieces.end(), bytes,
      [](std::uint64_t wanted, const CostPiece& piece) { return wanted < piece.from_bytes; });
  CostPiece line = *(after - 1);
  line.s_per_byte = std::max(line.s_per_byte, s_per_byte(memory, working_set_bytes));
  return line;
}

double working_set_bytes(const Schedule& schedule) {
  return static_cast<double>(schedule.problem().bytes) * (2.0 + schedule.scratch_slots());
}

OpPrices prices_of(const Schedule& schedule, const CostCurves& curves,
                   const std::function<bool(Rank, Rank)>& same_node) {
  const Parts senders(schedule, true);
  const Parts receivers(schedule, false);
  const double touched = working_set_bytes(schedule);
  OpPrices prices;
  prices.lines.resize(schedule.size());
  if (curves.within_node.by_core || curves.between_nodes.by_core) {
    prices.by_core.resize(schedule.size());
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.is_comm()) {
      const CostCurve& curve = local_curve(schedule, curves, senders, id);
      prices.lines[id] = curve.empty() ? CostPiece() : curve.at(op.bytes(), touched);
      continue;
    }
    const bool within = curves.between_nodes.one_way.empty() || same_node(op.src(), op.dst());
    const MessageCurves& messages = within ? curves.within_node : curves.between_nodes;
    const bool exchange = receivers.has(op.label(), op.src()) || senders.has(op.label(), op.dst());
    const CostCurve& curve =
        exchange && !messages.exchange.empty() ? messages.exchange : messages.one_way;
    prices.lines[id] = curve.at(op.bytes(), touched);
    if (!prices.by_core.empty()) {
      prices.by_core[id] = messages.by_core;
    }
  }
  return prices;
}

}}  // namespace tutti::schedules
