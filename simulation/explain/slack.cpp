#include "simulation/explain/slack.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "sim/engine.hpp"
#include "simulation/heard.hpp"

namespace tutti {

namespace {

// Which operations could start when one was over, at the ports and the core that it held. With room
// for k at a time, the one that starts as the i-th needs that i - k of them are over.
class Turns {
 public:
  // `by_core`: messages that the receiver's core moves; empty where there are none.
  Turns(const Schedule& schedule, const std::vector<OpId>& by_start, std::span<const double> end_s,
        std::uint32_t ports, const std::vector<bool>& by_core)
      : next_(schedule.size(), {kNoOp, kNoOp, kNoOp}) {
    const std::uint32_t ranks = schedule.ranks();
    std::vector<OpId> last(ranks, kNoOp);
    for (const OpId id : by_start) {
      if (const Op& op = schedule.op(id); !op.is_comm() || (!by_core.empty() && by_core[id])) {
        follow(last[op.dst()], id, kComputing);
      }
    }
    if (ports == kUnlimitedPorts) {
      return;
    }
    for (const std::size_t side : {kSending, kReceiving}) {
      if (ports == 1) {
        last.assign(ranks, kNoOp);
        for (const OpId id : by_start) {
          if (const Op& op = schedule.op(id); op.is_comm()) {
            follow(last[side == kSending ? op.src() : op.dst()], id, side);
          }
        }
        continue;
      }
      std::vector<std::vector<OpId>> turns(ranks);
      for (const OpId id : by_start) {
        if (const Op& op = schedule.op(id); op.is_comm()) {
          turns[side == kSending ? op.src() : op.dst()].push_back(id);
        }
      }
      for (const std::vector<OpId>& starts : turns) {
        pair_up(starts, end_s, ports, side);
      }
    }
  }

  // Calls visit(id) for those that could start when `id` was over.
  template <typename Visit>
  void after(OpId id, Visit&& visit) const {
    for (const OpId next : next_[id]) {
      if (next != kNoOp) {
        visit(next);
      }
    }
  }

 private:
  static constexpr std::size_t kSending = 0;
  static constexpr std::size_t kReceiving = 1;
  static constexpr std::size_t kComputing = 2;

  void follow(OpId& last, OpId id, std::size_t side) {
    if (last != kNoOp) {
      next_[last][side] = id;
    }
    last = id;
  }

  // Of several that end at once, any that were later would keep the last of those waiting that take
  // their places.
  void pair_up(const std::vector<OpId>& starts, std::span<const double> end_s, std::uint32_t room,
               std::size_t side) {
    std::vector<OpId> ends = starts;
    std::stable_sort(ends.begin(), ends.end(), [&](OpId a, OpId b) { return end_s[a] < end_s[b]; });
    for (std::size_t first = 0; first < ends.size();) {
      std::size_t last = first;
      while (last + 1 < ends.size() && end_s[ends[last + 1]] == end_s[ends[first]]) {
        ++last;
      }
      for (std::size_t i = first; i <= last && last + room < starts.size(); ++i) {
        next_[ends[i]][side] = starts[last + room];
      }
      first = last + 1;
    }
  }

  std::vector<std::array<OpId, 3>> next_;  // by operation: at its ports, at its core
};

// Operations in the order of their starts. What takes no time is over before what else starts then;
// what it comes after has a smaller id.
std::vector<OpId> in_order_of_starts(const Timeline& timeline) {
  struct Key {
    double start_s;
    std::uint32_t takes;
    OpId id;
  };
  const auto size = static_cast<OpId>(timeline.start_s.size());
  std::vector<Key> keys;
  keys.reserve(size);
  for (OpId id = 0; id < size; ++id) {
    keys.push_back({timeline.start_s[id], timeline.end_s[id] > timeline.start_s[id] ? 1U : 0U, id});
  }
  std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
    return a.start_s != b.start_s ? a.start_s < b.start_s
           : a.takes != b.takes   ? a.takes < b.takes
                                  : a.id < b.id;
  });
  std::vector<OpId> order;
  order.reserve(size);
  for (const Key& key : keys) {
    order.push_back(key.id);
  }
  return order;
}

// Time with at least one of a rank's operations, which come in the order of their starts.
void add_busy(RankSlack& rank, double& until_s, double from_s, double to_s) {
  rank.busy_s += std::max(0.0, to_s - std::max(from_s, until_s));
  until_s = std::max(until_s, to_s);
}

}  // namespace

Slack slack_of(const Schedule& schedule, const Timeline& timeline, const RunSetup& setup) {
  const Heard heard(schedule, timeline, setup.eager_bytes);
  const std::vector<bool> by_core =
      setup.curves ? prices_of(schedule, *setup.curves, setup.same_node).by_core
                   : std::vector<bool>();
  const std::vector<OpId> by_start = in_order_of_starts(timeline);
  const Turns turns(schedule, by_start, timeline.end_s, setup.ports, by_core);
  // How much later each could have started, all being as long as they were.
  Slack slack;
  slack.op_s.assign(schedule.size(), std::numeric_limits<double>::infinity());
  slack.ranks.assign(schedule.ranks(), {timeline.total_s, 0});
  // The end of an eager message may hang on what began after it: then once more.
  for (bool again = true; again;) {
    again = false;
    for (auto at = by_start.rbegin(); at != by_start.rend(); ++at) {
      const OpId id = *at;
      const Op& op = schedule.op(id);
      double& own = slack.op_s[id];
      own = std::min(own, timeline.total_s - timeline.end_s[id]);
      turns.after(id, [&](OpId next) {
        // An eager message that was over late had let go of its ports before.
        own = std::min(
            own, slack.op_s[next] + std::max(0.0, timeline.start_s[next] - timeline.end_s[id]));
      });
      own = std::max(own, 0.0);
      // What it comes after could have ended so much later, and what was there before that, more.
      for (const OpId before : schedule.predecessors(id)) {
        const Op& other = schedule.op(before);
        const bool at_start =
            heard.is_eager(before) &&
            (heard.is_eager(id) ? op.src() == other.src() : !op.touches(other.dst()));
        const double told_s = at_start ? timeline.start_s[before] : timeline.end_s[before];
        // The receiver of an eager message may be ready as late as the message is over.
        const bool gates_start = !heard.is_eager(id) || heard.sender_waits(id, before);
        const double needed_s = gates_start ? timeline.start_s[id] : timeline.end_s[id];
        slack.op_s[before] = std::min(slack.op_s[before], own + std::max(0.0, needed_s - told_s));
      }
    }
  }
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const Rank rank : {schedule.op(id).src(), schedule.op(id).dst()}) {
      slack.ranks[rank].slack_s = std::min(slack.ranks[rank].slack_s, slack.op_s[id]);
    }
  }
  std::vector<double> until_s(schedule.ranks(), 0);
  for (const OpId id : by_start) {
    const Op& op = schedule.op(id);
    add_busy(slack.ranks[op.src()], until_s[op.src()], timeline.start_s[id], timeline.end_s[id]);
    if (op.dst() != op.src()) {
      add_busy(slack.ranks[op.dst()], until_s[op.dst()], timeline.start_s[id], timeline.end_s[id]);
    }
  }
  return slack;
}

}  // namespace tutti
