#include "simulation/chain_walk.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "simulation/heard.hpp"

namespace tutti {

namespace {

// End of one operation and start of the next are one instant if this close: engines round their
// clocks, so more than the engines' own tolerance.
double slack_s(double at_s) { return std::max(2e-12, 1e-9 * at_s); }

// Operations by rank and end, for those that waited for a port or a core. Built on first use:
// algorithms in rounds never wait for one.
class OpsByRank {
 public:
  OpsByRank(const Schedule& schedule, const Timeline& timeline, const Heard& heard,
            std::uint32_t ports, std::span<const double> arrival_s)
      : schedule_(schedule),
        timeline_(timeline),
        heard_(heard),
        arrival_s_(arrival_s),
        ports_(ports),
        ports_limited_(ports != kUnlimitedPorts) {}

  struct Holder {
    OpId op = kNoOp;
    Resource resource = Resource::outgoing_port;
  };

  // What shared a port or the core with `id` and let go of it when `id` started.
  std::optional<Holder> freed(OpId id) {
    if (rows_.empty()) {
      build();
    }
    const Op& op = schedule_.op(id);
    const double start_s = timeline_.start_s[id];
    const auto sends = [&](const Op& other) { return other.is_comm() && other.src() == op.src(); };
    const auto receives = [&](const Op& other) {
      return other.is_comm() && other.dst() == op.dst();
    };
    const auto works = [](const Op& other) { return !other.is_comm(); };
    if (!op.is_comm()) {
      if (const OpId held = ended(op.rank(), start_s, works); held != kNoOp) {
        return Holder{held, Resource::core};
      }
      // A message that the core moves itself.
      const OpId held = ended(op.rank(), start_s, receives);
      return held == kNoOp ? std::nullopt : std::optional(Holder{held, Resource::core});
    }
    // Switches have as many ports as they need, and no core that messages wait for.
    const bool to_switch = op.dst() >= schedule_.ranks();
    if (ports_limited_ && op.src() < schedule_.ranks() && all_held(op.src(), start_s, sends)) {
      if (const OpId held = ended(op.src(), start_s, sends); held != kNoOp) {
        return Holder{held, Resource::outgoing_port};
      }
    }
    // Without limits it is the core that moves messages itself.
    if (!to_switch && (!ports_limited_ || all_held(op.dst(), start_s, receives))) {
      if (const OpId held = ended(op.dst(), start_s, receives); held != kNoOp) {
        return Holder{held, ports_limited_ ? Resource::incoming_port : Resource::core};
      }
    }
    if (!to_switch) {
      if (const OpId held = ended(op.dst(), start_s, works); held != kNoOp) {
        return Holder{held, Resource::core};
      }
    }
    if (heard_.any_eager() && arrival_s_.empty() && ports_limited_) {
      if (op.src() < schedule_.ranks()) {
        if (const OpId held = arrived(op.src(), start_s, sends); held != kNoOp) {
          return Holder{held, Resource::outgoing_port};
        }
      }
      if (!to_switch) {
        if (const OpId held = arrived(op.dst(), start_s, receives); held != kNoOp) {
          return Holder{held, Resource::incoming_port};
        }
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] double released_s(OpId id) const {
    return arrival_s_.empty() || !heard_.is_eager(id) ? timeline_.end_s[id] : arrival_s_[id];
  }

  void build() {
    rows_.assign(std::size_t{schedule_.places()} + 2, 0);
    const auto each_rank = [&](const Op& op, auto&& visit) {
      visit(op.src());
      if (op.dst() != op.src()) {
        visit(op.dst());
      }
    };
    for (const Op& op : schedule_.ops()) {
      each_rank(op, [&](Rank rank) { ++rows_[rank + 2]; });
    }
    for (std::size_t i = 2; i < rows_.size(); ++i) {
      rows_[i] += rows_[i - 1];
    }
    ops_.resize(rows_.back());
    for (OpId id = 0; id < schedule_.size(); ++id) {
      each_rank(schedule_.op(id), [&](Rank rank) { ops_[rows_[rank + 1]++] = id; });
    }
    for (Rank rank = 0; rank < schedule_.places(); ++rank) {
      std::sort(ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank]),
                ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank + 1]),
                [this](OpId a, OpId b) { return released_s(a) < released_s(b); });
    }
  }

  // Whether all ports of the rank on this side were held until then. With one port it is enough
  // that somebody let go of it.
  template <typename Holds>
  bool all_held(Rank rank, double start_s, Holds&& holds) const {
    if (ports_ == 1) {
      return true;
    }
    const double slack = slack_s(start_s);
    const auto [begin, end] = row(rank);
    auto at = std::lower_bound(begin, end, start_s - slack,
                               [this](OpId id, double time_s) { return released_s(id) < time_s; });
    std::uint32_t held = 0;
    for (; at != end && held < ports_; ++at) {
      held += timeline_.start_s[*at] < start_s - slack && holds(schedule_.op(*at)) ? 1 : 0;
    }
    return held == ports_;
  }

  template <typename Holds>
  OpId ended(Rank rank, double start_s, Holds&& holds) const {
    const double slack = slack_s(start_s);
    const auto [begin, end] = row(rank);
    auto at = std::lower_bound(begin, end, start_s - slack,
                               [this](OpId id, double time_s) { return released_s(id) < time_s; });
    OpId found = kNoOp;
    const auto off = [&](OpId id) { return std::fabs(released_s(id) - start_s); };
    for (; at != end && released_s(*at) <= start_s + slack; ++at) {
      // Only what began before can have held it; this also makes the walk end.
      if (timeline_.start_s[*at] < start_s - slack && holds(schedule_.op(*at)) &&
          (found == kNoOp || off(*at) < off(found))) {
        found = *at;
      }
    }
    return found;
  }

  // An eager message lets go of its ports when it has arrived, and is over when its receiver is
  // ready. Where nobody knows when that was: of those under way the one that started last.
  template <typename Holds>
  OpId arrived(Rank rank, double start_s, Holds&& holds) const {
    OpId found = kNoOp;
    const auto [begin, end] = row(rank);
    for (auto at = begin; at != end; ++at) {
      if (timeline_.start_s[*at] < start_s && timeline_.end_s[*at] > start_s &&
          heard_.is_eager(*at) && holds(schedule_.op(*at)) &&
          (found == kNoOp || timeline_.start_s[*at] > timeline_.start_s[found])) {
        found = *at;
      }
    }
    return found;
  }

  using Ids = std::vector<OpId>::const_iterator;
  [[nodiscard]] std::pair<Ids, Ids> row(Rank rank) const {
    return {ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank]),
            ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank + 1])};
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  const Heard& heard_;
  std::span<const double> arrival_s_;
  std::uint32_t ports_;
  bool ports_limited_;
  std::vector<std::size_t> rows_;
  std::vector<OpId> ops_;
};

}  // namespace

std::vector<ChainStep> walk_chain(const Schedule& schedule, const Timeline& timeline,
                                  const RunSetup& setup, std::span<const double> arrival_s) {
  std::vector<ChainStep> chain;
  if (schedule.size() == 0) {
    return chain;
  }
  const Heard heard(schedule, timeline, setup.eager_bytes);
  OpsByRank by_rank(schedule, timeline, heard, setup.ports, arrival_s);
  const auto comes_at = [&](Rank rank, double at_s) {
    return setup.disturbance.late() && rank < schedule.ranks() &&
           std::fabs(setup.disturbance.late_of(rank) - at_s) <= slack_s(at_s);
  };
  const auto last = std::max_element(timeline.end_s.begin(), timeline.end_s.end());
  ChainStep step;
  step.op = static_cast<OpId>(last - timeline.end_s.begin());
  step.until_s = *last;
  Heard::At at = Heard::At::end;
  while (step.op != kNoOp) {
    const OpId id = step.op;
    if (at == Heard::At::end) {
      if (heard.is_eager(id) && step.waiter == kNoOp &&
          comes_at(schedule.op(id).dst(), timeline.end_s[id])) {
        step.from_s = step.until_s;
        chain.push_back(step);
        break;
      }
      if (const auto gate = heard.receiver_gate(id);
          gate.op != kNoOp && gate.at_s >= timeline.end_s[id] && step.waiter == kNoOp) {
        step.op = gate.op;  // the message was there before its receiver was ready
        at = gate.heard;
        continue;
      }
      step.from_s = timeline.start_s[id];
      step.wait_from_s = std::max(step.wait_from_s, step.from_s);
      chain.push_back(step);
    }
    const double start_s = timeline.start_s[id];
    const Heard::Gate gate = heard.start_gate(id);
    step = {.op = gate.op, .until_s = gate.at_s};
    at = gate.heard;
    if (start_s > slack_s(start_s) &&
        (gate.op == kNoOp || gate.at_s < start_s - slack_s(start_s))) {
      const Op& op = schedule.op(id);
      if (comes_at(op.src(), start_s) || (!heard.is_eager(id) && comes_at(op.dst(), start_s))) {
        break;
      }
      if (const auto holder = by_rank.freed(id)) {
        step = {.op = holder->op,
                .until_s = std::min(start_s, timeline.end_s[holder->op]),
                .waiter = id,
                .resource = holder->resource,
                .wait_from_s = gate.op == kNoOp ? 0 : gate.at_s};
        at = Heard::At::end;
      }
    }
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace tutti
