// Checks the slack of operations: if an operation ends later by its slack, the total time does not
// change; if it ends even later, the total time grows.
#include "src/simulation/explain/slack.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <random>

#include "src/simulation/engine_run.hpp"
#include "tests/src/simulation/hand_made.hpp"

namespace tutti::test_slack {

namespace {

// Repeats a run, but lets one operation end later. All other operations keep their durations and
// their order at ports and cores.
class Replay {
 public:
  Replay(const Explanation& explanation, std::vector<double> arrival_s)
      : schedule_(*explanation.run.schedule),
        timeline_(explanation.run.timeline),
        setup_(explanation.run.result.machine.setup),
        arrival_s_(std::move(arrival_s)) {
    for (OpId id = 0; id < schedule_.size(); ++id) {
      by_start_.push_back(id);
    }
    std::stable_sort(by_start_.begin(), by_start_.end(),
                     [&](OpId a, OpId b) { return timeline_.start_s[a] < timeline_.start_s[b]; });
  }

  double total_with(OpId late, double by_s) {
    start_s_ = timeline_.start_s;
    free_s_ = arrival_s_;
    end_s_ = timeline_.end_s;
    do {
      changed_ = false;
      for (OpId id = 0; id < schedule_.size(); ++id) {
        settle(id, id == late ? by_s : 0);
      }
      for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
        in_turn([&](const Op& op) { return op.is_comm() && op.src() == rank; }, setup_.ports);
        in_turn([&](const Op& op) { return op.is_comm() && op.dst() == rank; }, setup_.ports);
        in_turn([&](const Op& op) { return !op.is_comm() && op.rank() == rank; }, 1);
      }
    } while (changed_);
    return *std::max_element(end_s_.begin(), end_s_.end());
  }

 private:
  [[nodiscard]] bool eager(OpId id) const {
    const Op& op = schedule_.op(id);
    return op.is_comm() && static_cast<std::int64_t>(op.bytes()) <= setup_.eager_bytes;
  }
  void at_least(double& value_s, double least_s) {
    if (least_s > value_s) {
      value_s = least_s;
      changed_ = true;
    }
  }

  void settle(OpId id, double by_s) {
    const Op& op = schedule_.op(id);
    for (const OpId before : schedule_.predecessors(id)) {
      const Op& other = schedule_.op(before);
      const bool at_sender = other.touches(op.src());
      const bool at_receiver = other.touches(op.dst());
      if (!eager(id)) {
        // The sender of an eager message can continue as soon as the message starts.
        const bool sent = eager(before) && !op.touches(other.dst());
        at_least(start_s_[id], sent ? start_s_[before] : end_s_[before]);
        continue;
      }
      if (at_sender || !at_receiver) {
        const bool sent = eager(before) && other.src() == op.src();
        at_least(start_s_[id], sent ? start_s_[before] : end_s_[before]);
      }
      if (at_receiver) {
        const bool sent = eager(before) && other.src() == op.dst();
        at_least(end_s_[id], sent ? start_s_[before] : end_s_[before]);
      }
    }
    at_least(free_s_[id], start_s_[id] + (arrival_s_[id] - timeline_.start_s[id]) + by_s);
    at_least(end_s_[id], std::max(free_s_[id], timeline_.end_s[id] + by_s));
  }

  // Applies the rule that at most `room` of the operations for which `uses` is true run at a time:
  // in order of start and counted from 0, operation i waits until i - room + 1 of them have ended.
  template <typename Uses>
  void in_turn(Uses&& uses, std::uint32_t room) {
    if (room == kUnlimitedPorts) {
      return;
    }
    std::vector<OpId> turns;
    std::vector<double> free_s;
    for (const OpId id : by_start_) {
      if (uses(schedule_.op(id))) {
        turns.push_back(id);
        free_s.push_back(free_s_[id]);
      }
    }
    std::sort(free_s.begin(), free_s.end());
    for (std::size_t i = room; i < turns.size(); ++i) {
      at_least(start_s_[turns[i]], free_s[i - room]);
    }
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  const RunSetup& setup_;
  std::vector<double> arrival_s_;
  std::vector<OpId> by_start_;
  std::vector<double> start_s_;
  std::vector<double> free_s_;
  std::vector<double> end_s_;
  bool changed_ = false;
};

// Returns a schedule of random operations with random dependencies on four ranks.
ExplainedByHand at_random(std::mt19937& random) {
  const auto below = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(random() % most);
  };
  constexpr Rank kRanks = 4;
  ExplainedByHand made(kRanks, 4);
  struct HandCase {
    OpId id;
    Rank from;
    Rank to;
  };
  std::vector<HandCase> all;
  const std::uint32_t size = 4 + below(14);
  for (std::uint32_t i = 0; i < size; ++i) {
    std::vector<OpId> after;
    const Rank from = below(kRanks);
    const Rank to = below(kRanks);
    for (const HandCase& before : all) {
      const bool joined =
          before.from == from || before.from == to || before.to == from || before.to == to;
      if (joined && below(4) == 0) {
        after.push_back(before.id);
      }
    }
    const std::uint32_t blocks = 1 + below(4);
    const OpId id =
        from == to ? made.reduce(from, blocks, after) : made.send(from, to, blocks, after);
    all.push_back({id, from, to});
  }
  return made;
}

void check_slack(const Explanation& explanation) {
  const double total_s = explanation.account.total_s;
  const Machine& machine = explanation.run.result.machine;
  std::vector<double> arrival_s = explanation.run.timeline.end_s;
  if (machine.setup.eager_bytes >= 0) {
    arrival_s = explanation.run.timeline.arrival_s;
  }
  Replay replay(explanation, std::move(arrival_s));
  REQUIRE(replay.total_with(0, 0) == total_s);
  const double a_little_s = 1e-6 * total_s;
  for (OpId id = 0; id < explanation.slack.op_s.size(); ++id) {
    const double slack_s = explanation.slack.op_s[id];
    CAPTURE(id, slack_s);
    CHECK(replay.total_with(id, slack_s) <= total_s * (1 + 1e-12));
    if (explanation.slack.exact) {
      CHECK(replay.total_with(id, slack_s + a_little_s) > total_s + a_little_s / 2);
    }
  }
}

}  // namespace

TEST_CASE("Slack is how much later an operation could have ended, and not less") {
  std::mt19937 random(20);
  std::uint32_t inexact = 0;
  constexpr std::uint32_t kSchedules = 400;
  for (std::uint32_t i = 0; i < kSchedules; ++i) {
    ExplainedByHand made = at_random(random);
    Machine& machine = made.machine();
    machine.setup.ports = std::array{1U, kUnlimitedPorts, 1U, 2U, 3U}[i % 5];
    machine.setup.eager_bytes = std::array{-1, 8, 16, 100}[i % 4];
    machine.engine = &engine_named(i % 3 == 0 ? "critical-path" : "flow");
    const Explanation explanation = made.explain();
    CAPTURE(i, machine.setup.ports, machine.setup.eager_bytes, machine.engine->name);
    check_slack(explanation);
    CHECK((explanation.slack.exact || machine.setup.ports > 1));
    inexact += explanation.slack.exact ? 0 : 1;
  }
  CHECK(inexact > 0);
  CHECK(inexact < kSchedules / 2);
}

}  // namespace tutti::test_slack
