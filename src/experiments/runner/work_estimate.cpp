#include "src/experiments/runner/work_estimate.hpp"

#include <algorithm>

#include "src/experiments/runner/runner.hpp"

namespace tutti { inline namespace experiments {

namespace {

// At most this share of a running case counts as done, even if the case takes longer than expected.
constexpr double kNearlyDone = 0.95;

}  // namespace

void WorkEstimate::add(std::size_t number, const Case& what) {
  const std::lock_guard lock(mutex_);
  const auto [at, is_new] = group_of_.try_emplace({what.algorithm, what.problem.ranks},
                                                  static_cast<std::uint32_t>(groups_.size()));
  if (is_new) {
    groups_.push_back({what.algorithm, {}, 0});
  }
  const double expected = expected_work(what);
  groups_[at->second].left += expected;
  items_.resize(std::max(items_.size(), number + 1));
  items_[number] = {at->second, expected};
}

void WorkEstimate::begin(std::size_t number) {
  const std::lock_guard lock(mutex_);
  running_[number] = Clock::now();
}

void WorkEstimate::end(std::size_t number, std::optional<double> seconds) {
  const std::lock_guard lock(mutex_);
  running_.erase(number);
  const Item& item = items_.at(number);
  Group& group = groups_[item.group];
  group.left = std::max(0.0, group.left - item.expected);
  if (seconds) {
    group.cost.add(item.expected, *seconds);
    algorithms_[group.algorithm].add(item.expected, *seconds);
    all_.add(item.expected, *seconds);
  }
}

void WorkEstimate::give_up(std::size_t number) {
  const std::lock_guard lock(mutex_);
  running_.erase(number);
}

double WorkEstimate::seconds_for_each(const Group& group) const {
  const auto algorithm = algorithms_.find(group.algorithm);
  const Cost& best = group.cost.expected > 0          ? group.cost
                     : algorithm != algorithms_.end() ? algorithm->second
                                                      : all_;
  return best.expected > 0 ? best.seconds / best.expected : 0;
}

WorkProgress WorkEstimate::done(Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  if (all_.seconds <= 0) {
    return {};
  }
  const auto passed_s_since = [now](Clock::time_point begun) {
    return std::chrono::duration<double>(now - begun).count();
  };
  std::vector<double> seconds_for_each_of(groups_.size());
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    seconds_for_each_of[i] = seconds_for_each(groups_[i]);
  }
  // If no case of a group has finished, a case that runs longer than expected raises the estimate
  // of the whole group.
  for (const auto& [number, begun] : running_) {
    const Item& item = items_[number];
    if (groups_[item.group].cost.expected <= 0 && item.expected > 0) {
      double& each = seconds_for_each_of[item.group];
      each = std::max(each, passed_s_since(begun) / item.expected);
    }
  }
  double left_s = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    left_s += groups_[i].left * seconds_for_each_of[i];
  }
  double done_s = all_.seconds;
  // Longest remaining time of a running case, which other workers cannot shorten.
  double longest_s = 0;
  for (const auto& [number, begun] : running_) {
    const Item& item = items_[number];
    const double expected_s = item.expected * seconds_for_each_of[item.group];
    const double passed_s = std::min(passed_s_since(begun), kNearlyDone * expected_s);
    done_s += passed_s;
    left_s = std::max(0.0, left_s - passed_s);
    longest_s = std::max(longest_s, expected_s - passed_s);
  }
  const double elapsed_s = std::max(std::chrono::duration<double>(now - began_).count(), 1e-3);
  const double at_a_time = done_s / elapsed_s;
  return {done_s / (done_s + left_s), std::max(left_s / at_a_time, longest_s)};
}

std::optional<double> seconds_if_run(const Outcome& outcome, double seconds) {
  return outcome.result() != nullptr ? std::optional(seconds) : std::nullopt;
}

std::optional<double> seconds_of(const Outcome& outcome) {
  const RunResult* const result = outcome.result();
  return result != nullptr
             ? std::optional(result->emit_wall_s + result->load_wall_s + result->simulate_wall_s)
             : std::nullopt;
}

}}  // namespace tutti::experiments
