#include "src/simulation/explain/slack.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "src/simulation/dependency_gates.hpp"

namespace tutti { inline namespace simulation {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Computes the slack of all operations by visiting the events of the run in reverse order.
class Backwards {
 public:
  Backwards(const Schedule& schedule, const Timeline& timeline, const RunSetup& setup)
      : schedule_(schedule),
        start_s_(timeline.start_s),
        end_s_(timeline.end_s),
        arrival_s_(timeline.arrival_s),
        total_s_(timeline.total_s),
        ports_(setup.ports),
        gates_(schedule, timeline, setup.eager_bytes),
        end_slack_s_(schedule.size(), kNever) {
    if (setup.curves) {
      by_core_ = prices_of(schedule, *setup.curves, setup.same_node).by_core;
    }
    if (gates_.any_eager()) {
      TUTTI_INVARIANT(arrival_s_.size() == schedule.size());
      start_slack_s_.assign(schedule.size(), kNever);
    }
    for (std::vector<double>& latest_s : latest_s_) {
      latest_s.assign(slots(), kNever);
    }
  }

  Slack run() {
    if (ports_ > 1) {
      line_up();
    }
    if (ids_will_do()) {
      for (OpId id = schedule_.size(); id-- > 0;) {
        start(id);
      }
    } else {
      const std::vector<Moment> moments = in_order();
      for (auto at = moments.rbegin(); at != moments.rend(); ++at) {
        at->is_end ? end(at->id) : start(at->id);
      }
    }
    return {std::move(end_slack_s_), {}, several_.empty()};
  }

 private:
  enum Side : std::uint8_t { sending, receiving, computing };

  // An event of the run: the start of an operation, or the end of an eager message, which waits for
  // other predecessors than its start does.
  struct Moment {
    double at_s;
    bool takes;  // false: the operation takes no time
    OpId id;
    bool is_end;
  };

  // The outgoing or the incoming ports of a rank, if it has several of them.
  struct Several {
    // For each start, in chronological order: the minimum of the latest possible times of this
    // start and of all later starts.
    std::vector<double> latest_from_s;
    std::vector<double> ends_s;  // times when ports are released, ascending
    std::size_t turn = 0;        // number of starts that are not visited yet
  };

  [[nodiscard]] double released_s(OpId id) const {
    return gates_.is_eager(id) ? std::min(arrival_s_[id], end_s_[id]) : end_s_[id];
  }
  [[nodiscard]] bool moved_by_core(OpId id) const { return !by_core_.empty() && by_core_[id]; }

  // Each rank has a slot for each of its cores or network interfaces.
  [[nodiscard]] std::size_t slots() const {
    return std::size_t{std::max(schedule_.cores(), schedule_.nics())} * schedule_.places();
  }
  [[nodiscard]] std::size_t slot(Rank rank, std::uint32_t unit) const {
    return std::size_t{unit} * schedule_.places() + rank;
  }

  // Calls visit(side, slot) for each port or core that an operation holds. Local work that takes no
  // time needs no core.
  template <typename Visit>
  void each_held(OpId id, Visit&& visit) const {
    const Op& op = schedule_.op(id);
    const Units units = schedule_.units(id);
    if (!op.is_comm()) {
      if (end_s_[id] > start_s_[id]) {
        visit(computing, slot(op.rank(), units.dst_core));
      }
      return;
    }
    // Switches have as many ports as they need.
    if (ports_ != kUnlimitedPorts && op.src() < schedule_.ranks()) {
      visit(sending, slot(op.src(), units.src_nic));
    }
    if (ports_ != kUnlimitedPorts && op.dst() < schedule_.ranks()) {
      visit(receiving, slot(op.dst(), units.dst_nic));
    }
    if (moved_by_core(id)) {
      visit(computing, slot(op.dst(), units.dst_core));
    }
  }

  // True if operations use each port and core in the order of their ids. Predecessors always have
  // smaller ids.
  [[nodiscard]] bool ids_will_do() const {
    if (gates_.any_eager() || !several_.empty()) {
      return false;
    }
    std::array<std::vector<double>, 3> free_s;
    for (std::vector<double>& since_s : free_s) {
      since_s.assign(slots(), 0);
    }
    bool will_do = true;
    for (OpId id = 0; id < schedule_.size() && will_do; ++id) {
      each_held(id, [&](Side side, std::size_t slot) {
        will_do = will_do && start_s_[id] >= free_s[side][slot];
        free_s[side][slot] = end_s_[id];
      });
    }
    return will_do;
  }

  // Returns the events in chronological order. Among the events of one instant, those of operations
  // that take no time come first. Among these, predecessors come first, because they have smaller
  // ids.
  [[nodiscard]] std::vector<Moment> in_order() const {
    std::vector<Moment> moments;
    moments.reserve(schedule_.size());
    for (OpId id = 0; id < schedule_.size(); ++id) {
      moments.push_back({start_s_[id], gates_.any_eager() || end_s_[id] > start_s_[id], id, false});
      if (gates_.is_eager(id)) {
        moments.push_back({end_s_[id], true, id, true});
      }
    }
    std::sort(moments.begin(), moments.end(), [](const Moment& a, const Moment& b) {
      return a.at_s != b.at_s     ? a.at_s < b.at_s
             : a.takes != b.takes ? a.takes < b.takes
             : a.id != b.id       ? a.id < b.id
                                  : a.is_end < b.is_end;
    });
    return moments;
  }

  void line_up() {
    std::vector<Several> all(2 * slots());
    bool any_waits = false;
    for (OpId id = 0; id < schedule_.size(); ++id) {
      each_held(id, [&](Side side, std::size_t slot) {
        if (side != computing) {
          Several& ports = all[2 * slot + side];
          ports.ends_s.push_back(released_s(id));
          any_waits = any_waits || ports.ends_s.size() > ports_;
        }
      });
    }
    if (!any_waits) {
      return;  // no message waits for a port
    }
    for (Several& ports : all) {
      std::sort(ports.ends_s.begin(), ports.ends_s.end());
      ports.turn = ports.ends_s.size();
      ports.latest_from_s.assign(ports.turn + 1, kNever);
    }
    several_ = std::move(all);
  }

  // Returns the latest time at which `id` may release the port or the core for the operations that
  // follow.
  [[nodiscard]] double latest_free_s(OpId id, Side side, std::size_t slot) const {
    if (side == computing || ports_ == 1) {
      return latest_s_[side][slot];
    }
    if (several_.empty()) {
      return kNever;
    }
    const Several& ports = several_[2 * slot + side];
    const auto at = std::lower_bound(ports.ends_s.begin(), ports.ends_s.end(), released_s(id));
    const auto turn = static_cast<std::size_t>(at - ports.ends_s.begin()) + ports_;
    return turn < ports.latest_from_s.size() ? ports.latest_from_s[turn] : kNever;
  }

  void starts_at_latest(double latest_s, Side side, std::size_t slot) {
    if (side == computing || ports_ == 1) {
      latest_s_[side][slot] = latest_s;
    } else if (!several_.empty()) {
      Several& ports = several_[2 * slot + side];
      --ports.turn;
      ports.latest_from_s[ports.turn] = std::min(latest_s, ports.latest_from_s[ports.turn + 1]);
    }
  }

  // Visits the end of an eager message, at its receiver.
  void end(OpId id) {
    double& own_s = end_slack_s_[id];
    own_s = std::clamp(own_s, 0.0, total_s_ - end_s_[id]);
    gates_.each_before_end(
        id, [&](OpId before, DependencyGates::At at) { give(before, at, own_s + end_s_[id]); });
  }

  void start(OpId id) {
    const bool eager = gates_.is_eager(id);
    double& own_s = end_slack_s_[id];
    own_s = std::min(own_s, total_s_ - end_s_[id]);
    const double released = released_s(id);
    double slack_s = own_s + (end_s_[id] - released);
    each_held(id, [&](Side side, std::size_t slot) {
      slack_s = std::min(slack_s, latest_free_s(id, side, slot) - released);
    });
    slack_s = std::max(slack_s, 0.0);
    own_s = std::clamp(own_s, 0.0, slack_s);
    if (eager) {
      slack_s = std::min(slack_s, start_slack_s_[id]);
    }
    const double latest_s = start_s_[id] + slack_s;
    each_held(id, [&](Side side, std::size_t slot) { starts_at_latest(latest_s, side, slot); });
    if (gates_.any_eager()) {
      gates_.each_before_start(
          id, [&](OpId before, DependencyGates::At at) { give(before, at, latest_s); });
      return;
    }
    for (const OpId before : schedule_.predecessors(id)) {
      end_slack_s_[before] = std::min(end_slack_s_[before], latest_s - end_s_[before]);
    }
  }

  // Limits the slack of `before`, whose start or end (`at`) must happen by `latest_s` for the
  // operation that waits for it.
  void give(OpId before, DependencyGates::At at, double latest_s) {
    double& slack_s =
        at == DependencyGates::At::start ? start_slack_s_[before] : end_slack_s_[before];
    slack_s = std::min(slack_s, latest_s - gates_.seen_s(before, at));
  }

  const Schedule& schedule_;
  std::span<const double> start_s_;
  std::span<const double> end_s_;
  std::span<const double> arrival_s_;
  double total_s_;
  std::uint32_t ports_;
  DependencyGates gates_;
  std::vector<bool> by_core_;
  std::vector<double> end_slack_s_;
  // For each eager message: how much later it could start without delaying its successors at the
  // sender.
  std::vector<double> start_slack_s_;
  // For each side and slot: the latest possible start of the operation visited last. Because the
  // run is visited backwards, that operation follows the current one in time.
  std::array<std::vector<double>, 3> latest_s_;
  std::vector<Several> several_;  // for each slot and side; empty if no message waits for a port
};

// Busy time of one rank. Operations are added mostly in the order of their starts. The last
// interval of busy time may still grow at both ends; all earlier intervals are already summed up.
class RankTime {
 public:
  // Adds an operation. Returns false if it overlaps with time that is already summed up.
  [[nodiscard]] bool add(double from_s, double until_s) {
    if (from_s >= until_s_) {
      closed_until_s_ = until_s_;
      busy_s_ += until_s_ - from_s_;
      from_s_ = from_s;
      until_s_ = until_s;
      return true;
    }
    if (from_s < closed_until_s_) {
      return false;
    }
    if (until_s < from_s_) {
      busy_s_ += until_s - from_s;
      closed_until_s_ = until_s;
      return true;
    }
    from_s_ = std::min(from_s_, from_s);
    until_s_ = std::max(until_s_, until_s);
    return true;
  }

  [[nodiscard]] double busy_s() const { return busy_s_ + (until_s_ - from_s_); }

 private:
  double closed_until_s_ = 0;
  double from_s_ = 0;
  double until_s_ = 0;
  double busy_s_ = 0;
};

// Adds all operations in the order of their ids. Returns false if that order is too far from the
// order of their starts.
bool add_all(const Schedule& schedule, const Timeline& timeline, std::vector<RankTime>& ranks) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const double from_s = timeline.start_s[id];
    const double until_s = timeline.end_s[id];
    if (!ranks[op.src()].add(from_s, until_s) ||
        (op.dst() != op.src() && !ranks[op.dst()].add(from_s, until_s))) {
      return false;
    }
  }
  return true;
}

void add_sorted(const Schedule& schedule, const Timeline& timeline, std::vector<RankTime>& ranks) {
  std::vector<std::pair<double, OpId>> by_start;
  by_start.reserve(schedule.size());
  for (OpId id = 0; id < schedule.size(); ++id) {
    by_start.emplace_back(timeline.start_s[id], id);
  }
  std::sort(by_start.begin(), by_start.end());
  for (const auto& [from_s, id] : by_start) {
    const Op& op = schedule.op(id);
    (void)ranks[op.src()].add(from_s, timeline.end_s[id]);
    (void)ranks[op.dst()].add(from_s, timeline.end_s[id]);
  }
}

// Returns, for each rank, the time during which at least one of its operations was under way, in
// seconds.
std::vector<double> busy_of_ranks(const Schedule& schedule, const Timeline& timeline) {
  std::vector<RankTime> ranks(schedule.places());
  if (!add_all(schedule, timeline, ranks)) {
    ranks.assign(schedule.places(), {});
    add_sorted(schedule, timeline, ranks);
  }
  std::vector<double> busy_s;
  busy_s.reserve(ranks.size());
  for (const RankTime& rank : ranks) {
    busy_s.push_back(rank.busy_s());
  }
  return busy_s;
}

}  // namespace

Slack slack_of(const Schedule& schedule, const Timeline& timeline, const RunSetup& setup) {
  Slack slack = Backwards(schedule, timeline, setup).run();
  const std::vector<double> busy_s = busy_of_ranks(schedule, timeline);
  slack.ranks.reserve(busy_s.size());
  for (const double rank_busy_s : busy_s) {
    slack.ranks.push_back({timeline.total_s, rank_busy_s});
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const Rank rank : {schedule.op(id).src(), schedule.op(id).dst()}) {
      slack.ranks[rank].slack_s = std::min(slack.ranks[rank].slack_s, slack.op_s[id]);
    }
  }
  slack.ranks.resize(schedule.ranks());  // drops the switches
  return slack;
}

}}  // namespace tutti::simulation
