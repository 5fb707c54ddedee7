#include "simulation/critical_chain.hpp"

#include <algorithm>

namespace tutti {

namespace {

// End of one operation and start of the next are one instant if this close: engines round their
// clocks, so more than the engines' own tolerance.
double slack_s(double at_s) { return std::max(2e-12, 1e-9 * at_s); }

// Operations by rank and end, for those that waited for a port or a core. Built on first use:
// algorithms in rounds never wait for one.
class OpsByRank {
 public:
  OpsByRank(const Schedule& schedule, const Timeline& timeline)
      : schedule_(schedule), timeline_(timeline) {}

  // The operation that shares a port or the core with `id` and ended when `id` started; kNoOp if
  // there is none.
  OpId freed(OpId id) {
    if (rows_.empty()) {
      build();
    }
    const Op& op = schedule_.op(id);
    const double start_s = timeline_.start_s[id];
    OpId found = among(op.src(), start_s, [&](const Op& other) {
      return op.is_comm() ? other.is_comm() && other.src() == op.src() : !other.is_comm();
    });
    if (found == kNoOp && op.is_comm()) {
      found = among(op.dst(), start_s,
                    [&](const Op& other) { return other.is_comm() && other.dst() == op.dst(); });
    }
    return found;
  }

 private:
  void build() {
    rows_.assign(std::size_t{schedule_.ranks()} + 2, 0);
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
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
      std::sort(ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank]),
                ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank + 1]),
                [this](OpId a, OpId b) { return timeline_.end_s[a] < timeline_.end_s[b]; });
    }
  }

  template <typename Holds>
  OpId among(Rank rank, double start_s, Holds&& holds) const {
    const auto begin = ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank]);
    const auto end = ops_.begin() + static_cast<std::ptrdiff_t>(rows_[rank + 1]);
    const double slack = slack_s(start_s);
    auto at = std::lower_bound(begin, end, start_s - slack, [this](OpId id, double time_s) {
      return timeline_.end_s[id] < time_s;
    });
    for (; at != end && timeline_.end_s[*at] <= start_s + slack; ++at) {
      // Only what began before can have held it; this also makes the walk end.
      if (timeline_.start_s[*at] < start_s - slack && holds(schedule_.op(*at))) {
        return *at;
      }
    }
    return kNoOp;
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  std::vector<std::size_t> rows_;
  std::vector<OpId> ops_;
};

// A part never takes more than there is: an engine may know a faster way than `own`.
void add_duration(CriticalChain& chain, const Op& op, double duration_s, const OwnTime& own) {
  switch (op.kind()) {
    case OpKind::comm: {
      const double startup_s = std::min(own.startup_s, duration_s);
      const double transfer_s = std::min(own.transfer_s, duration_s - startup_s);
      chain.startup_s += startup_s;
      chain.transfer_s += transfer_s;
      chain.network_s += duration_s - startup_s - transfer_s;
      break;
    }
    case OpKind::reduce:
      chain.reduce_s += duration_s;
      break;
    case OpKind::copy:
      chain.copy_s += duration_s;
      break;
  }
}

}  // namespace

OwnTimes own_times_by(const Prices& prices) {
  return [prices](OpId, const Op& op) -> OwnTime {
    return {prices.alpha_s, static_cast<double>(op.bytes()) * prices.beta_s_per_byte};
  };
}

CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                             const OwnTimes& own_times) {
  CriticalChain chain;
  if (schedule.size() == 0) {
    return chain;
  }
  OpsByRank by_rank(schedule, timeline);
  const auto last = std::max_element(timeline.end_s.begin(), timeline.end_s.end());
  auto id = static_cast<OpId>(last - timeline.end_s.begin());
  while (true) {
    chain.ops.push_back(id);
    const double start_s = timeline.start_s[id];
    const Op& op = schedule.op(id);
    add_duration(chain, op, timeline.end_s[id] - start_s,
                 op.is_comm() ? own_times(id, op) : OwnTime());
    OpId before = kNoOp;
    for (const OpId predecessor : schedule.predecessors(id)) {
      if (before == kNoOp || timeline.end_s[predecessor] > timeline.end_s[before]) {
        before = predecessor;
      }
    }
    if (start_s > slack_s(start_s) &&
        (before == kNoOp || timeline.end_s[before] < start_s - slack_s(start_s))) {
      if (const OpId holder = by_rank.freed(id); holder != kNoOp) {
        before = holder;
      }
    }
    if (before == kNoOp) {
      chain.waiting_s += start_s;
      break;
    }
    chain.waiting_s += start_s - timeline.end_s[before];
    id = before;
  }
  std::reverse(chain.ops.begin(), chain.ops.end());
  // Rounding, not time: a sum of differences leaves a little of it.
  for (double* part : {&chain.network_s, &chain.waiting_s}) {
    if (std::max(*part, -*part) <= 1e-9 * timeline.total_s) {
      *part = 0;
    }
  }
  return chain;
}

}  // namespace tutti
