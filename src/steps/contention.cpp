#include "src/steps/contention.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

namespace tutti { inline namespace steps {

namespace {

struct Stretch {
  std::uint32_t group = 0;
  double from_s = 0;
  double until_s = 0;
  double lost_s = 0;
  double times = 1;  // how often the operation is carried out
};

// Divides what one link takes from messages among the groups of the messages that it holds back.
class LinkSharers {
 public:
  LinkSharers(const std::vector<Stretch>& stretches, std::size_t groups) : groups_(groups) {
    for (const Stretch& each : stretches) {
      times_s_.push_back(each.from_s);
      times_s_.push_back(each.until_s);
    }
    std::ranges::sort(times_s_);
    times_s_.erase(std::unique(times_s_.begin(), times_s_.end()), times_s_.end());
    std::vector<double> change(times_s_.size() * groups);
    for (const Stretch& each : stretches) {
      change[at(each.from_s) * groups + each.group] += 1;
      change[at(each.until_s) * groups + each.group] -= 1;
    }
    // Time integrals of the numbers of messages.
    integrals_.assign(times_s_.size() * groups, 0);
    std::vector<double> count(groups);
    for (std::size_t i = 0; i + 1 < times_s_.size(); ++i) {
      for (std::size_t group = 0; group < groups; ++group) {
        count[group] += change[i * groups + group];
        integrals_[(i + 1) * groups + group] =
            integrals_[i * groups + group] + count[group] * (times_s_[i + 1] - times_s_[i]);
      }
    }
  }

  // Calls add(group, share) for each group whose messages the link holds back during the stretch.
  template <typename Add>
  void divide(const Stretch& stretch, Add&& add) const {
    const std::size_t from = at(stretch.from_s) * groups_;
    const std::size_t until = at(stretch.until_s) * groups_;
    const double own = stretch.until_s - stretch.from_s;
    double all = -own;
    for (std::size_t group = 0; group < groups_; ++group) {
      all += integrals_[until + group] - integrals_[from + group];
    }
    constexpr double kNone = 1e-9;
    for (std::size_t group = 0; group < groups_; ++group) {
      const double held =
          integrals_[until + group] - integrals_[from + group] - (group == stretch.group ? own : 0);
      if (all > kNone * own && held > kNone * own) {
        add(std::optional(static_cast<std::uint32_t>(group)), held / all);
      }
    }
    if (all <= kNone * own) {
      add(std::optional<std::uint32_t>(), 1.0);
    }
  }

 private:
  [[nodiscard]] std::size_t at(double time_s) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(times_s_, time_s) - times_s_.begin());
  }

  std::size_t groups_;
  std::vector<double> times_s_;
  std::vector<double> integrals_;  // by time and group
};

// Returns the action of each operation.
std::vector<std::uint32_t> actions_of_ops(const StepRun& run) {
  std::vector<std::uint32_t> actions(run.schedule.size());
  for (std::uint32_t i = 0; i + 1 < run.step.first_ops.size(); ++i) {
    std::fill(actions.begin() + run.step.first_ops[i], actions.begin() + run.step.first_ops[i + 1],
              i);
  }
  return actions;
}

}  // namespace

StepContention contention_of(const StepRun& run) {
  StepContention found;
  const StepDescription& step = run.shortened.step();
  found.known = run.run.record.complete;
  found.message_s.assign(step.groups.size(), 0);
  if (!found.known) {
    return found;
  }
  const std::vector<std::uint32_t> actions = actions_of_ops(run);
  std::map<std::uint32_t, std::vector<Stretch>> of_links;
  for (const FlowStretch& each : run.run.record.stretches) {
    const StepAction& action = step.actions[actions[each.id]];
    if (!action.calls() || !run.schedule.op(each.id).is_comm()) {
      continue;
    }
    const std::uint32_t group = step.calls[action.what].group;
    const auto times = static_cast<double>(run.shortened.times()[actions[each.id]]);
    const double time_s = each.until_s - each.from_s;
    found.message_s[group] += times * time_s;
    if (each.link != kNoLink && each.link < FlowRecord::kCoresOfHost && time_s > 0) {
      of_links[each.link].push_back(
          {group, each.from_s, each.until_s, time_s - each.moving_s, times});
    }
  }
  std::map<std::uint32_t, LinkPlace> places;
  for (const NamedLinkStatistics& each : run.run.links) {
    places[each.statistics.link] = each.place;
  }
  struct Sum {
    double lost_s = 0;
    std::map<std::uint32_t, double> of_links;
  };
  std::map<std::tuple<std::uint32_t, std::optional<std::uint32_t>, std::string>, Sum> sums;
  for (const auto& [link, stretches] : of_links) {
    const LinkSharers sharers(stretches, step.groups.size());
    for (const Stretch& each : stretches) {
      sharers.divide(each, [&, of = link](std::optional<std::uint32_t> other, double share) {
        Sum& sum = sums[{each.group, other, places[of].group}];
        sum.lost_s += share * each.times * each.lost_s;
        sum.of_links[of] += share * each.times * each.lost_s;
      });
    }
  }
  for (const auto& [key, sum] : sums) {
    const auto& [group, other, links] = key;
    const auto worst =
        std::ranges::max_element(sum.of_links, {}, [](const auto& each) { return each.second; });
    found.losses.push_back({group, other, links, places[worst->first].name, sum.lost_s});
  }
  std::erase_if(found.losses, [](const GroupLoss& each) { return each.lost_s <= 0; });
  std::ranges::stable_sort(found.losses, std::greater(), &GroupLoss::lost_s);
  return found;
}

void watch_contention(StepMachine& machine) {
  WatchList watched;
  watched.every_op = true;
  machine.replicas = false;
  machine.machine.setup.watched = std::make_shared<const WatchList>(std::move(watched));
  machine.machine.record.link_statistics = true;
}

}}  // namespace tutti::steps
