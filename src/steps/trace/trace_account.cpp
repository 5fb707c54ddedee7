#include "src/steps/trace/trace_account.hpp"

#include <algorithm>
#include <utility>

namespace tutti { inline namespace steps {

namespace {

using Kind = TraceNode::Kind;

class TraceClock {
 public:
  TraceClock(const ChakraTrace& trace, const TraceMatches& matches,
             const std::vector<std::uint32_t>& row_of, std::uint32_t computing,
             const TraceSchedule& schedule, const Timeline& timeline)
      : trace_(trace),
        matches_(matches),
        row_of_(row_of),
        computing_(computing),
        schedule_(schedule),
        timeline_(timeline) {}

  // Writes the time that a rank spends for each row, and how often it carries the row out.
  void run(Rank rank, std::vector<SpentTime>& spent, std::vector<std::uint32_t>& times) {
    rank_ = rank;
    spent_ = &spent;
    now_s_ = 0;
    const std::vector<TraceNode>& nodes = trace_.ranks[rank].nodes;
    std::vector<std::uint32_t> computing;
    std::uint32_t last = kNoMatch;
    for (std::uint32_t node = 0; node < nodes.size(); ++node) {
      last = last == kNoMatch || end_s(node) > end_s(last) ? node : last;
      if (nodes[node].kind == Kind::compute) {
        computing.push_back(node);
        ++times[computing_];
      } else if (communicates(node)) {
        spent[row(node)].hidden_s += end_s(node) - op_end_s(schedule_.begin_after[rank][node]);
        ++times[row(node)];
      }
    }
    std::ranges::sort(computing, {}, [this](std::uint32_t node) { return start_s(node); });
    for (const std::uint32_t node : computing) {
      wait(latest_before(node));
      spent[computing_].core_wait_s += start_s(node) - now_s_;
      spent[computing_].computing_s += end_s(node) - start_s(node);
      now_s_ = end_s(node);
    }
    wait(last);
    for (SpentTime& each : spent) {
      // Whatever of a collective is not exposed is hidden.
      each.hidden_s = std::max(each.hidden_s - each.exposed_s, 0.0);
    }
  }

 private:
  [[nodiscard]] double op_end_s(OpId op) const { return op == kNoOp ? 0 : timeline_.end_s[op]; }
  [[nodiscard]] double end_s(std::uint32_t node) const {
    return op_end_s(schedule_.ends[rank_][node]);
  }
  // Returns when a node starts to compute.
  [[nodiscard]] double start_s(std::uint32_t node) const {
    const std::uint64_t picoseconds = trace_.ranks[rank_].nodes[node].amount * 1000;
    return timeline_.start_s[schedule_.ends[rank_][node] + 1 - operations_of(picoseconds)];
  }
  [[nodiscard]] bool communicates(std::uint32_t node) const {
    return matches_.match_of[rank_][node] != kNoMatch;
  }
  [[nodiscard]] std::uint32_t row(std::uint32_t node) const {
    return row_of_[matches_.match_of[rank_][node]];
  }

  // Returns the node that ends last of those after which `node` begins; kNoMatch if there is none.
  [[nodiscard]] std::uint32_t latest_before(std::uint32_t node) const {
    std::uint32_t latest = matches_.before[rank_][node];
    for (const std::uint32_t before : trace_.ranks[rank_].dependencies_of(node)) {
      latest = latest == kNoMatch || end_s(before) > end_s(latest) ? before : latest;
    }
    return latest;
  }

  // Waits until the node has ended.
  void wait(std::uint32_t node) {
    const double end = node == kNoMatch ? 0 : end_s(node);
    double until_s = end;
    while (node != kNoMatch && until_s > now_s_) {
      const std::uint32_t before = latest_before(node);
      const double from_s = std::max(now_s_, before == kNoMatch ? 0 : end_s(before));
      if (communicates(node) && from_s < until_s) {
        (*spent_)[row(node)].exposed_s += until_s - from_s;
      }
      until_s = std::min(until_s, from_s);
      node = before;
    }
    now_s_ = std::max(now_s_, end);
  }

  const ChakraTrace& trace_;
  const TraceMatches& matches_;
  const std::vector<std::uint32_t>& row_of_;
  std::uint32_t computing_;
  const TraceSchedule& schedule_;
  const Timeline& timeline_;
  std::vector<SpentTime>* spent_ = nullptr;
  Rank rank_ = 0;
  double now_s_ = 0;
};

}  // namespace

StepAccount account_of(const ChakraTrace& trace, const TraceMatches& matches,
                       const std::vector<std::uint32_t>& row_of, std::uint32_t computing,
                       std::vector<StepRow> rows, const TraceSchedule& schedule,
                       const Timeline& timeline) {
  TraceClock clock(trace, matches, row_of, computing, schedule, timeline);
  StepAccount account;
  account.total_s = timeline.total_s;
  account.rows = std::move(rows);
  std::vector<std::uint32_t> times;
  const auto spend = [&](Rank rank, std::vector<SpentTime>& spent) {
    times.assign(spent.size(), 0);
    clock.run(rank, spent, times);
    for (std::size_t row = 0; row < spent.size(); ++row) {
      account.rows[row].times = std::max<std::uint64_t>(account.rows[row].times, times[row]);
    }
    return rank;
  };
  add_ranks(account, static_cast<std::uint32_t>(trace.ranks.size()), spend);
  std::erase_if(account.rows, [](const StepRow& row) { return row.times == 0; });
  return account;
}

}}  // namespace tutti::steps
