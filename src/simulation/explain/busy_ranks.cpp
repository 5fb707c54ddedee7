#include "src/simulation/explain/busy_ranks.hpp"

#include <algorithm>
#include <utility>

namespace tutti::inline simulation {

namespace {

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

}  // namespace

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

}  // namespace tutti::inline simulation
