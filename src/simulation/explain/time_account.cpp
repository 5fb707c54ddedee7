#include "src/simulation/explain/time_account.hpp"

#include <algorithm>

namespace tutti { inline namespace simulation {

namespace {

// Adds the pieces of one chain, step by step.
class Pieces {
 public:
  Pieces(TimeAccount& account, double run_starts_s, const MessageAccount* messages)
      : account_(account), run_starts_s_(run_starts_s), messages_(messages) {}

  void begin(std::uint32_t step) {
    step_ = step;
    const double gap_from_s = at_s_;
    at_s_ = current().from_s;
    const double start_s = std::clamp(run_starts_s_, gap_from_s, std::max(gap_from_s, at_s_));
    start_of_run(start_s - gap_from_s);
    add(Spending::lateness, kNoLink, false, at_s_ - start_s);
  }

  // Adds pieces for what the operation did from the end of the previous piece to `until_s`.
  void until(double until_s, Spending on, MessagePart part = MessagePart::none) {
    const double split_s = current().waiter == kNoOp ? until_s : current().wait_from_s;
    const double own_until_s = std::clamp(split_s, at_s_, std::max(at_s_, until_s));
    add(on, kNoLink, false, own_until_s - at_s_, part);
    add(on, kNoLink, true, until_s - own_until_s, part);
    at_s_ = until_s;
  }

  // Adds pieces for a message, from its start until its bytes move or, if `moves` is false, until
  // they would move.
  void startup(const MessageTimes& times, double until_s, bool moves) {
    MessagePart last = MessagePart::none;
    for (const PartTime& each : times.before) {
      if (each.seconds > rounding_s()) {
        last = each.part;
        until(std::min(until_s, at_s_ + each.seconds), Spending::startup, last);
      }
    }
    if (moves) {
      until(until_s, Spending::startup, last);
    }
  }
  // Adds pieces for the end of a message: the receiver's core, which may be busy at first, and
  // which copies an eager message for as long as the copy at the sender took.
  void receive(const MessageTimes& times, double until_s) {
    const double wait_s = until_s - at_s_ - times.received.seconds;
    if (wait_s > rounding_s()) {
      until(at_s_ + wait_s, Spending::startup, MessagePart::busy_core);
    }
    const auto copies = std::ranges::find(times.before, MessagePart::eager_copies, &PartTime::part);
    if (copies != times.before.end()) {
      until(std::max(at_s_, until_s - copies->seconds), Spending::startup, times.received.part);
      until(until_s, Spending::startup, MessagePart::eager_copies);
    } else {
      until(until_s, Spending::startup, times.received.part);
    }
  }

  // Adds pieces for a stretch of a flow. The time that the stretch's bytes would take alone counts
  // as `moving`, limited by `limit`. The time lost to a link counts as `slowed`, and the time lost
  // to cores as Spending::cores.
  void stretch(const FlowStretch& stretch, Spending moving, MessagePart limit, Spending slowed) {
    const ChainStep& step = current();
    // The step may cover only a part of the operation.
    const double from_s = std::max(stretch.from_s, step.from_s);
    const double until_s = std::min(stretch.until_s, step.until_s);
    if (until_s <= from_s) {
      return;
    }
    const bool waited_for = step.waiter != kNoOp && from_s >= step.wait_from_s;
    const double part = (until_s - from_s) / (stretch.until_s - stretch.from_s);
    const double moving_s = std::min(part * stretch.moving_s, until_s - from_s);
    add(moving, kNoLink, waited_for, moving_s, limit);
    const bool of_host = stretch.link != kNoLink && stretch.link >= FlowRecord::kCoresOfHost;
    add(of_host ? Spending::cores : slowed,
        of_host ? stretch.link - FlowRecord::kCoresOfHost : stretch.link, waited_for,
        (until_s - from_s) - moving_s,
        messages_ != nullptr && !of_host && stretch.link != kNoLink
            ? messages_->limit_of(stretch.link)
            : MessagePart::none);
    at_s_ = until_s;
  }

  [[nodiscard]] double at_s() const { return at_s_; }

 private:
  [[nodiscard]] const ChainStep& current() const { return account_.chain[step_]; }

  void add(Spending on, std::uint32_t link, bool waited_for, double seconds,
           MessagePart part = MessagePart::none) {
    if (seconds > 0) {
      account_.pieces.push_back({step_, on, link, part, waited_for, seconds});
    }
  }

  // Adds pieces for the work of the library before the first operation.
  void start_of_run(double seconds) {
    MessagePart last = MessagePart::none;
    double rest_s = seconds;
    for (const PartTime& each : messages_ != nullptr ? messages_->start : kNoParts) {
      if (each.seconds > 0) {
        add(Spending::start_of_run, kNoLink, false, std::min(each.seconds, rest_s), each.part);
        rest_s = std::max(0.0, rest_s - each.seconds);
        last = each.part;
      }
    }
    add(Spending::start_of_run, kNoLink, false, rest_s, last);
  }

  // Engines round their clocks, so a shorter time may be a rounding error.
  [[nodiscard]] double rounding_s() const { return std::max(2e-12, 1e-9 * at_s_); }

  static inline const std::vector<PartTime> kNoParts;

  TimeAccount& account_;
  double run_starts_s_;
  const MessageAccount* messages_;
  std::uint32_t step_ = 0;
  double at_s_ = 0;
};

Spending work_of(const Op& op) {
  return op.is_comm()                  ? Spending::transfer
         : op.kind() == OpKind::reduce ? Spending::reduction
                                       : Spending::copying;
}

// Returns the parts of an operation's time. A step that begins after the start of its message
// covers only the receiver's work on the message. For local work, MessageTimes::limit is its price.
MessageTimes times_of(const MessageAccount& messages, const ChainStep& step, const Op& op) {
  if (!op.is_comm()) {
    return {.before = {},
            .limit = op.kind() == OpKind::reduce ? messages.reduction : messages.copying,
            .received = {}};
  }
  MessageTimes times = messages.times_of(step.op, op);
  if (step.from_s > messages.start_s(step.op)) {
    times.before.clear();
  }
  return times;
}

// Returns the sum of the pieces for which counts(piece) is true, in seconds.
template <typename Counts>
double sum_of(const std::vector<Piece>& pieces, Counts&& counts) {
  double sum_s = 0;
  for (const Piece& piece : pieces) {
    sum_s += counts(piece) ? piece.seconds : 0;
  }
  return sum_s;
}

}  // namespace

double TimeAccount::seconds_on(Spending on) const {
  return sum_of(pieces, [on](const Piece& piece) { return piece.on == on; });
}

double TimeAccount::waited_s() const {
  return sum_of(pieces, [](const Piece& piece) { return piece.waited_for; });
}

double TimeAccount::sum_s() const {
  return sum_of(pieces, [](const Piece&) { return true; });
}

std::vector<WatchedOp> watched_of(const std::vector<ChainStep>& chain) {
  std::vector<WatchedOp> watched;
  watched.reserve(chain.size());
  for (const ChainStep& step : chain) {
    WatchedOp op{.id = step.op};
    if (step.waiter != kNoOp && step.wait_from_s > step.from_s) {
      op.split_s = step.wait_from_s;
    }
    watched.push_back(op);
  }
  std::sort(watched.begin(), watched.end(),
            [](const WatchedOp& a, const WatchedOp& b) { return a.id < b.id; });
  return watched;
}

TimeAccount account_of(const Schedule& schedule, std::vector<ChainStep> chain,
                       std::span<const FlowStretch> stretches, double run_starts_s, double total_s,
                       const MessageAccount* messages) {
  TimeAccount account{std::move(chain), {}, total_s};
  // Stretches, sorted by operation. Those of one operation stay in chronological order.
  std::vector<FlowStretch> sorted(stretches.begin(), stretches.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const FlowStretch& a, const FlowStretch& b) { return a.id < b.id; });
  Pieces pieces(account, run_starts_s, messages);
  for (std::uint32_t i = 0; i < account.chain.size(); ++i) {
    const ChainStep& step = account.chain[i];
    const Op& op = schedule.op(step.op);
    const MessageTimes times = messages != nullptr ? times_of(*messages, step, op) : MessageTimes();
    pieces.begin(i);
    auto stretch = std::lower_bound(sorted.begin(), sorted.end(), step.op,
                                    [](const FlowStretch& a, OpId id) { return a.id < id; });
    if (op.is_comm()) {
      const bool flows = stretch != sorted.end() && stretch->id == step.op;
      const double moves_s =
          flows ? std::clamp(stretch->from_s, step.from_s, step.until_s) : step.until_s;
      if (messages != nullptr) {
        pieces.startup(times, moves_s, flows);
      } else {
        pieces.until(moves_s, Spending::startup);
      }
    }
    for (; stretch != sorted.end() && stretch->id == step.op; ++stretch) {
      pieces.stretch(*stretch, work_of(op), times.limit, Spending::sharing);
    }
    // The rest is work on an unshared core, or the receiver's work on a message that has arrived.
    if (op.is_comm() && messages != nullptr) {
      pieces.receive(times, step.until_s);
    } else {
      pieces.until(step.until_s, op.is_comm() ? Spending::startup : work_of(op), times.limit);
    }
  }
  return account;
}

TimeAccount account_of(const Schedule& schedule, std::vector<ChainStep> chain,
                       const OwnTimes& own_times, double run_starts_s, double total_s) {
  TimeAccount account{std::move(chain), {}, total_s};
  Pieces pieces(account, run_starts_s, nullptr);
  for (std::uint32_t i = 0; i < account.chain.size(); ++i) {
    const ChainStep& step = account.chain[i];
    const Op& op = schedule.op(step.op);
    pieces.begin(i);
    if (op.is_comm()) {
      pieces.until(std::min(step.until_s, step.from_s + own_times(step.op, op).startup_s),
                   Spending::startup);
    }
    pieces.until(step.until_s, work_of(op));
  }
  return account;
}

}}  // namespace tutti::simulation
