#include "src/simulation/critical_chain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/large_array.hpp"
#include "sim/steady_rounds.hpp"
#include "src/simulation/dependency_gates.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Returns the tolerance for times near `at_s`, in seconds: the end of one operation and the start
// of the next count as one instant if they are at most this far apart. The tolerance is larger than
// the engines' own, because engines round their clocks.
double slack_s(double at_s) { return std::max(2e-12, 1e-9 * at_s); }

// Finds the operation whose port or core another operation waited for. Stores the operations of
// each rank, sorted by the time at which they release ports and cores. The lists are built on first
// use, because algorithms in rounds never wait for a port or a core.
class OpsByRank {
 public:
  OpsByRank(const Schedule& schedule, const Timeline& timeline, const DependencyGates& gates,
            std::uint32_t ports)
      : schedule_(schedule),
        timeline_(timeline),
        gates_(gates),
        arrival_s_(timeline.arrival_s),
        ports_(ports),
        ports_limited_(ports != kUnlimitedPorts) {}

  struct Holder {
    OpId op = kNoOp;
    Resource resource = Resource::outgoing_port;
  };

  // Returns the operation that held a port or the core that `id` needs, and released it when `id`
  // started. Holder::op is kNoOp if there is none.
  Holder freed(OpId id) {
    if (rows_.empty()) {
      build();
    }
    const Op& op = schedule_.op(id);
    const double start_s = timeline_.start_s[id];
    const Units units = schedule_.units(id);
    const auto sends = [&](OpId other) {
      const Op& sent = schedule_.op(other);
      return sent.is_comm() && sent.src() == op.src() &&
             schedule_.units(other).src_nic == units.src_nic;
    };
    const auto receives = [&](OpId other) {
      const Op& received = schedule_.op(other);
      return received.is_comm() && received.dst() == op.dst() &&
             schedule_.units(other).dst_nic == units.dst_nic;
    };
    // A message may be moved by the receiver's core.
    const auto moved = [&](OpId other) {
      const Op& received = schedule_.op(other);
      return received.is_comm() && received.dst() == op.dst() &&
             schedule_.units(other).dst_core == units.dst_core;
    };
    const auto works = [&](OpId other) {
      return !schedule_.op(other).is_comm() && schedule_.units(other).dst_core == units.dst_core;
    };
    Holder found;
    const auto ended_at = [&](Rank rank, const auto& holds, Resource resource) {
      found = {ended(rank, start_s, holds), resource};
      return found.op != kNoOp;
    };
    const auto arrived_at = [&](Rank rank, const auto& holds, Resource resource) {
      found = {arrived(rank, start_s, holds), resource};
      return found.op != kNoOp;
    };
    if (!op.is_comm()) {
      // If no local work held the core, a message may have held it, whose bytes the core moved.
      const bool held =
          ended_at(op.rank(), works, Resource::core) || ended_at(op.rank(), moved, Resource::core);
      return held ? found : Holder();
    }
    // Switches have as many ports as they need, and no core that messages wait for.
    const bool from_rank = op.src() < schedule_.ranks();
    const bool to_rank = op.dst() < schedule_.ranks();
    const bool guesses = gates_.any_eager() && arrival_s_.empty() && ports_limited_;
    const bool held =
        (ports_limited_ && from_rank && all_held(op.src(), start_s, sends) &&
         ended_at(op.src(), sends, Resource::outgoing_port)) ||
        (ports_limited_ && to_rank && all_held(op.dst(), start_s, receives) &&
         ended_at(op.dst(), receives, Resource::incoming_port)) ||
        (to_rank && ended_at(op.dst(), works, Resource::core)) ||
        (to_rank && (!ports_limited_ || schedule_.has_units()) &&
         ended_at(op.dst(), moved, Resource::core)) ||
        (guesses && from_rank && arrived_at(op.src(), sends, Resource::outgoing_port)) ||
        (guesses && to_rank && arrived_at(op.dst(), receives, Resource::incoming_port));
    return held ? found : Holder();
  }

 private:
  [[nodiscard]] double released_s(OpId id) const {
    return arrival_s_.empty() || !gates_.is_eager(id) ? timeline_.end_s[id] : arrival_s_[id];
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

  // True if all outgoing ports of the rank, or all incoming ones, were held until `start_s`.
  // holds(id) is true for the operations that hold such a port. With one port, returns true without
  // a check, because ended() then finds the operation that held the port.
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
      held += timeline_.start_s[*at] < start_s - slack && holds(*at) ? 1 : 0;
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
      // Only an operation that began earlier can have held the resource. This condition also
      // guarantees that the walk along the chain terminates.
      if (timeline_.start_s[*at] < start_s - slack && holds(*at) &&
          (found == kNoOp || off(*at) < off(found))) {
        found = *at;
      }
    }
    return found;
  }

  // Guesses which eager message held a port until `start_s` if arrival times are not known. Chooses
  // the message that started last among those under way. An eager message releases its ports when
  // it arrives, but ends only when its receiver is ready.
  template <typename Holds>
  OpId arrived(Rank rank, double start_s, Holds&& holds) const {
    OpId found = kNoOp;
    const auto [begin, end] = row(rank);
    for (auto at = begin; at != end; ++at) {
      if (timeline_.start_s[*at] < start_s && timeline_.end_s[*at] > start_s &&
          gates_.is_eager(*at) && holds(*at) &&
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
  const DependencyGates& gates_;
  std::span<const double> arrival_s_;
  std::uint32_t ports_;
  bool ports_limited_;
  std::vector<std::size_t> rows_;
  std::vector<OpId> ops_;
};

// A time below this share of the total time is a rounding error, which comes from sums of
// differences and from the engine's clock.
constexpr double kRounding = 1e-9;

// Chooses, among chains that end at the same time, the chain with the largest value. The value of a
// chain is the sum of worth() over its operations. Computes values only if there is a choice.
class TiedChains {
 public:
  TiedChains(const Schedule& schedule, const Timeline& timeline, const DependencyGates& gates,
             const OwnTimes& own_times)
      : schedule_(schedule),
        timeline_(timeline),
        gates_(gates),
        own_times_(own_times),
        last_end_s_(*std::max_element(timeline.end_s.begin(), timeline.end_s.end())) {}

  [[nodiscard]] double last_end_s() const { return last_end_s_; }

  // Returns the operation that ends last. If several end at the same time, returns the last
  // operation of the best chain.
  [[nodiscard]] OpId last() {
    Best best;
    for (OpId id = 0; id < schedule_.size(); ++id) {
      if (timeline_.end_s[id] >= last_end_s_ - slack_s(last_end_s_)) {
        best.add({id, DependencyGates::At::end, timeline_.end_s[id]}, *this);
      }
    }
    return best.gate.op;
  }

  // Returns the last event that an operation waited for before it started. Waiting for ports and
  // cores does not count.
  [[nodiscard]] DependencyGates::Gate before(OpId id) {
    const DependencyGates::Gate latest = gates_.start_gate(id);
    Best best;
    each_tied(id, [&](const DependencyGates::Gate& gate) { best.add(gate, *this); });
    return best.gate.op == kNoOp ? latest : best.gate;
  }

  // True if the values of chains grow by the same amount from each steady round to the next, so
  // that choices repeat, or if no value was needed.
  [[nodiscard]] bool repeats(const RepeatedRounds& stretch, const SteadyRounds& steady) {
    if (until_end_.empty()) {
      return true;
    }
    if (steady.last < steady.first + 2) {
      return false;
    }
    find_values_until(stretch.begin_of(steady.last + 1) - 1);
    const auto gain = [&](OpId id) { return until_end_[id] - until_end_[id - stretch.ops]; };
    const OpId last = stretch.begin_of(steady.last);
    const double of_round = gain(last);
    for (OpId id = stretch.begin_of(steady.last - 1); id < last + stretch.ops; ++id) {
      if (!(std::fabs(gain(id) - of_round) <= kRounding * of_round)) {
        return false;
      }
    }
    return true;
  }

  // True if an event at `at_s` coincides with the start of the operation, up to rounding.
  [[nodiscard]] bool is_tied(OpId id, double at_s) const {
    const double start_s = timeline_.start_s[id];
    return at_s >= start_s - slack_s(start_s);
  }

  // Returns the event that the receiver of the eager message `id` still waited for when the message
  // arrived; a gate with kNoOp if the receiver was ready.
  [[nodiscard]] DependencyGates::Gate late_receiver(OpId id) const {
    const DependencyGates::Gate gate = gates_.receiver_gate(id);
    const double end_s = timeline_.end_s[id];
    const double arrival_s = timeline_.arrival_s.empty() ? end_s : timeline_.arrival_s[id];
    const bool late =
        gate.op != kNoOp && (gate.at_s >= end_s || gate.at_s > arrival_s + slack_s(arrival_s));
    return late ? gate : DependencyGates::Gate();
  }

 private:
  // Keeps the best of several gates. If there is only one gate, does not compute its value.
  struct Best {
    DependencyGates::Gate gate;
    double value = std::numeric_limits<double>::quiet_NaN();

    void add(const DependencyGates::Gate& other, TiedChains& chains) {
      if (gate.op == kNoOp) {
        gate = other;
        return;
      }
      if (std::isnan(value)) {
        value = chains.value_of(gate);
      }
      if (const double other_value = chains.value_of(other); other_value > value) {
        gate = other;
        value = other_value;
      }
    }
  };

  template <typename Visit>
  void each_tied(OpId id, Visit&& visit) const {
    const double tied_from_s = timeline_.start_s[id] - slack_s(timeline_.start_s[id]);
    gates_.each_before_start(id, [&](OpId before, DependencyGates::At event) {
      if (const double at_s = gates_.seen_s(before, event); at_s >= tied_from_s) {
        visit(DependencyGates::Gate{before, event, at_s});
      }
    });
  }

  // Returns the weighted sum of the times that an operation spends, with one weight for each kind
  // of spending. The weights are 1 and the square roots of 1/2, 1/3, 1/5, 1/7 and 1/11. They are
  // linearly independent over the rational numbers, so different spending gives different sums.
  [[nodiscard]] double worth(OpId id) const {
    constexpr std::array<std::pair<Spending, double>, 6> kWeights{{
        {Spending::startup, 1},
        {Spending::transfer, 0.7071067811865476},   // 1/sqrt(2)
        {Spending::reduction, 0.5773502691896258},  // 1/sqrt(3), and so on
        {Spending::copying, 0.4472135954999579},
        {Spending::sharing, 0.3779644730092272},
        {Spending::cores, 0.3015113445777636},
    }};
    const Op& op = schedule_.op(id);
    const TimeBySpending spent =
        spent_by(op, timeline_.end_s[id] - timeline_.start_s[id], own_times_(id, op));
    // Operations that take no time have a value too, but a tiny one.
    double worth = 1e-9 * last_end_s_;
    for (const auto& [on, weight] : kWeights) {
      worth += weight * spent[on];
    }
    return worth;
  }

  // Returns the value of the best chain up to and including `gate`.
  [[nodiscard]] double value_of(const DependencyGates::Gate& gate) {
    find_values_until(gate.op);
    return known_value(gate);
  }

  // Finds the values of all operations up to `last`. An operation's predecessors have smaller ids.
  void find_values_until(OpId last) {
    if (until_end_.empty()) {
      reserve_large(until_end_, schedule_.size());
      until_start_.reserve(gates_.any_eager() ? schedule_.size() : 0);
    }
    for (auto id = static_cast<OpId>(until_end_.size()); id <= last; ++id) {
      double best = 0;
      each_tied(id, [&](const DependencyGates::Gate& before) {
        best = std::max(best, known_value(before));
      });
      if (gates_.any_eager()) {
        until_start_.push_back(best);
      }
      until_end_.push_back(best + worth(id));
    }
  }

  // As value_of(), if the values of all operations up to gate.op are known.
  [[nodiscard]] double known_value(DependencyGates::Gate gate) const {
    while (gates_.any_eager() && gate.event == DependencyGates::At::end) {
      const DependencyGates::Gate late = late_receiver(gate.op);
      if (late.op == kNoOp) {
        break;
      }
      gate = late;
    }
    return gate.event == DependencyGates::At::end ? until_end_[gate.op] : until_start_[gate.op];
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  const DependencyGates& gates_;
  const OwnTimes& own_times_;
  double last_end_s_;
  // By operation: value of the best chain up to the operation's end, or its start. Both arrays may
  // end before the last operation. Without eager messages, nothing is told at a start.
  std::vector<double> until_end_;
  std::vector<double> until_start_;
};

// Leads a chain, as it goes back in time, through the rounds that a cut schedule lacks: whenever
// the chain leaves the last steady round, it enters that round again, one period later.
class LeftOutRounds {
 public:
  LeftOutRounds(const Schedule& schedule, const Timeline& timeline)
      : stretches_(schedule.repeated()), steady_(timeline.steady) {
    for (const RepeatedRounds& stretch : stretches_) {
      left_.push_back(stretch.left_out);
    }
  }

  // Time between an operation of the chain in the cut schedule and in the whole.
  [[nodiscard]] double added_s() const {
    double sum_s = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      sum_s += left_[i] * steady_[i].period_s;
    }
    return sum_s;
  }

  // Moves the step, whose operation the chain has just reached.
  void enter(ChainStep& step) {
    for (std::size_t i = stretches_.size(); i-- > 0;) {
      const RepeatedRounds& stretch = stretches_[i];
      while (left_[i] > 0 && step.op < stretch.begin_of(steady_[i].last) &&
             step.op >= stretch.begin_of(steady_[i].first)) {
        step.op += stretch.ops;
        step.until_s += steady_[i].period_s;
        step.wait_from_s += steady_[i].period_s;
        --left_[i];
      }
    }
  }

  // True if the chain has passed through all rounds.
  [[nodiscard]] bool are_passed(TiedChains& tied) const {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      if (left_[i] > 0 || !tied.repeats(stretches_[i], steady_[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  std::span<const RepeatedRounds> stretches_;
  std::span<const SteadyRounds> steady_;
  std::vector<std::uint32_t> left_;
};

void move_rounding(TimeBySpending& spent, Spending from, Spending to, double total_s) {
  if (spent[from] <= kRounding * total_s) {
    spent[to] = std::max(0.0, spent[to] + spent[from]);
    spent[from] = 0;
  }
}

struct Walk {
  std::vector<ChainStep> steps;
  std::vector<double> lasted_s;  // by step; without the rounding of a clock that was moved
  bool is_known = true;          // see CriticalChain
};

// Gives two steps of which one follows the other exactly the same time between them: clocks that
// were moved differ by rounding.
void join_steps(std::vector<ChainStep>& steps) {
  constexpr double kClockRounding = 8 * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 1; i < steps.size(); ++i) {
    double& until_s = steps[i - 1].until_s;
    if (std::fabs(steps[i].from_s - until_s) <= kClockRounding * until_s) {
      until_s = steps[i].from_s;
    }
  }
}

Walk walk(const Schedule& schedule, const Timeline& timeline, const RunSetup& setup,
          const OwnTimes& own_times) {
  Walk done;
  if (schedule.size() == 0) {
    return done;
  }
  const DependencyGates gates(schedule, timeline, setup.eager_bytes);
  OpsByRank by_rank(schedule, timeline, gates, setup.ports);
  TiedChains tied(schedule, timeline, gates, own_times);
  const auto comes_at = [&](Rank rank, double at_s) {
    return setup.disturbance.late() && rank < schedule.ranks() &&
           std::fabs(setup.disturbance.late_of(rank) - at_s) <= slack_s(at_s);
  };
  LeftOutRounds left_out(schedule, timeline);
  const auto add = [&](ChainStep step) {
    done.lasted_s.push_back(step.until_s - step.from_s);
    step.from_s += left_out.added_s();
    step.until_s += left_out.added_s();
    step.wait_from_s += left_out.added_s();
    done.steps.push_back(step);
  };
  ChainStep step;
  step.op = tied.last();
  step.until_s = tied.last_end_s();
  DependencyGates::At at = DependencyGates::At::end;
  while (step.op != kNoOp) {
    const OpId id = step.op;
    if (at == DependencyGates::At::end) {
      if (gates.is_eager(id) && step.waiter == kNoOp &&
          comes_at(schedule.op(id).dst(), timeline.end_s[id])) {
        step.from_s = step.until_s;
        step.is_late_receive = true;
        add(step);
        break;
      }
      if (const DependencyGates::Gate gate = tied.late_receiver(id);
          gate.op != kNoOp && step.waiter == kNoOp) {
        if (step.until_s - gate.at_s > slack_s(gate.at_s)) {  // the receiver's work on the message
          step.from_s = gate.at_s;
          step.is_late_receive = true;
          add(step);
          step.until_s = gate.at_s;
          step.is_late_receive = false;
        }
        step.op = gate.op;
        at = gate.event;
        left_out.enter(step);
        continue;
      }
      step.from_s = timeline.start_s[id];
      step.wait_from_s = std::max(step.wait_from_s, step.from_s);
      add(step);
    }
    const double start_s = timeline.start_s[id];
    const DependencyGates::Gate gate = tied.before(id);
    const bool is_tied = gate.op != kNoOp && tied.is_tied(id, gate.at_s);
    step = {.op = gate.op, .until_s = is_tied ? start_s : gate.at_s};
    at = gate.event;
    if (start_s > slack_s(start_s) && !is_tied) {
      const Op& op = schedule.op(id);
      if (comes_at(op.src(), start_s) || (!gates.is_eager(id) && comes_at(op.dst(), start_s))) {
        break;
      }
      if (const auto holder = by_rank.freed(id); holder.op != kNoOp) {
        step = {.op = holder.op,
                .until_s = std::min(start_s, timeline.end_s[holder.op]),
                .waiter = id,
                .resource = holder.resource,
                .wait_from_s = gate.op == kNoOp ? 0 : gate.at_s};
        at = DependencyGates::At::end;
      }
    }
    left_out.enter(step);
  }
  std::reverse(done.steps.begin(), done.steps.end());
  std::reverse(done.lasted_s.begin(), done.lasted_s.end());
  if (!timeline.steady.empty()) {
    join_steps(done.steps);
    done.is_known = left_out.are_passed(tied);
  }
  return done;
}

}  // namespace

std::vector<ChainStep> walk_chain(const Schedule& schedule, const Timeline& timeline,
                                  const RunSetup& setup, const OwnTimes& own_times) {
  TUTTI_INVARIANT(schedule.repeated().empty());
  return walk(schedule, timeline, setup, own_times).steps;
}

CriticalChain critical_chain(const Schedule& schedule, const Timeline& timeline,
                             const OwnTimes& own_times, const RunSetup& setup,
                             double run_starts_s) {
  Walk done = walk(schedule, timeline, setup, own_times);
  CriticalChain chain{std::move(done.steps), {}, done.is_known};
  TimeBySpending& spent = chain.spent;
  double before_s = 0;
  for (std::size_t i = 0; i < chain.steps.size(); ++i) {
    const ChainStep& step = chain.steps[i];
    const double start_s = std::clamp(run_starts_s, before_s, std::max(before_s, step.from_s));
    spent[Spending::start_of_run] += start_s - before_s;
    spent[Spending::lateness] += step.from_s - start_s;
    const Op& op = schedule.op(step.op);
    const double duration_s = done.lasted_s[i];
    if (step.is_late_receive) {
      spent[Spending::startup] += duration_s;
    } else {
      spent_by(op, duration_s, own_times(step.op, op)).each([&](Spending on, double seconds) {
        spent[on] += seconds;
      });
    }
    before_s = step.until_s;
  }
  move_rounding(spent, Spending::sharing, Spending::transfer, timeline.total_s);
  move_rounding(spent, Spending::cores, Spending::reduction, timeline.total_s);
  move_rounding(spent, Spending::lateness, Spending::startup, timeline.total_s);
  return chain;
}

}}  // namespace tutti::simulation
