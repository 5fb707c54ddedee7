#include "src/experiments/profiles/profile_decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/human.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the index of the candidate that takes the least time for all calls, with its best segment
// size in each cell. Cells in which no candidate runs are ignored. Empty if no candidate runs in
// all other cells.
std::optional<std::size_t> best_alone(const Decision& decision) {
  std::optional<std::size_t> found;
  double least_s = 0;
  for (std::size_t i = 0; i < decision.candidates.size(); ++i) {
    if (decision.candidates[i].baseline) {
      continue;
    }
    double sum_s = 0;
    bool everywhere = true;
    for (const RankDecision& each : decision.decisions) {
      for (const TimedCell& cell : each.cells) {
        const bool any = cell.best().has_value();
        everywhere = everywhere && (!any || cell.times[i].timed());
        sum_s += any && cell.times[i].timed() ? cell.calls * cell.times[i].seconds : 0;
      }
    }
    if (everywhere && (!found || sum_s < least_s)) {
      found = i;
      least_s = sum_s;
    }
  }
  return found;
}

class ProfileSums {
 public:
  ProfileSums(ProfileDecision& decided, std::size_t which)
      : decided_(decided), which_(which), decision_(decided.decisions[which]) {}

  void add() {
    if (!decision_.judgement) {
      alone_ = best_alone(decision_);
    }
    for (std::uint32_t r = 0; r < decision_.decisions.size(); ++r) {
      const std::vector<const TimedCell*> cells = decision_.decisions[r].cells_by_size();
      for (const SizeInterval& interval : decision_.decisions[r].intervals) {
        const std::size_t rule = decided_.rules.size();
        ProfileRule& added = decided_.rules.emplace_back();
        added.decision = which_;
        added.rank_index = r;
        added.interval = interval;
        for (std::size_t c = interval.first_cell; c <= interval.last_cell && c < cells.size();
             ++c) {
          add_cell(*cells[c], interval, rule);
        }
      }
      if (decision_.decisions[r].intervals.empty()) {
        for (const TimedCell* cell : cells) {
          decided_.untold_calls += cell->calls;
          decided_.cells.push_back(called(*cell));
        }
      }
    }
  }

 private:
  [[nodiscard]] ProfileCell called(const TimedCell& cell) const {
    ProfileCell found;
    found.decision = which_;
    found.rank_index = cell.rank_index;
    found.bytes = cell.bytes;
    found.calls = cell.calls;
    return found;
  }

  void add_cell(const TimedCell& cell, const SizeInterval& interval, std::size_t rule) {
    ProfileCell found = called(cell);
    found.rule = rule;
    if (const auto seconds = cell.seconds_of(interval.way())) {
      found.after_s = cell.calls * *seconds;
    }
    take_before(cell, found);
    ProfileRule& sums = decided_.rules[rule];
    sums.calls += cell.calls;
    if (found.saved_s()) {
      sums.after_s = sums.after_s.value_or(0) + *found.after_s;
      sums.before_s = sums.before_s.value_or(0) + *found.before_s;
      decided_.after_s += *found.after_s;
      decided_.before_s += *found.before_s;
    } else {
      sums.untold_calls += cell.calls;
      decided_.untold_calls += cell.calls;
    }
    decided_.cells.push_back(std::move(found));
  }

  void take_before(const TimedCell& cell, ProfileCell& found) const {
    if (!decision_.judgement) {
      if (alone_ && cell.times[*alone_].timed()) {
        found.before_s = cell.calls * cell.times[*alone_].seconds;
        found.before = decision_.candidates[*alone_].contender.label;
      }
      return;
    }
    for (const TableCell& judged : decision_.judgement->cells) {
      if (judged.rank_index == cell.rank_index && judged.bytes == cell.bytes && judged.seconds) {
        found.before_s = cell.calls * *judged.seconds;
        found.before = in_words(judged.runs);
      }
    }
  }

  ProfileDecision& decided_;
  std::size_t which_;
  const Decision& decision_;
  std::optional<std::size_t> alone_;
};

}  // namespace

std::vector<ProfileCalls> calls_of(const Profile& profile, Collective collective) {
  std::vector<ProfileCalls> found;
  std::copy_if(profile.calls.begin(), profile.calls.end(), std::back_inserter(found),
               [collective](const ProfileCalls& each) { return each.collective == collective; });
  return found;
}

std::uint32_t common_element_bytes(const std::vector<ProfileCalls>& calls) {
  std::uint32_t bytes = 8;
  for (const ProfileCalls& each : calls) {
    while (each.bytes % bytes != 0) {
      bytes /= 2;
    }
  }
  return bytes;
}

void keep_called(Decision& decision, const std::vector<ProfileCalls>& calls) {
  for (RankDecision& each : decision.decisions) {
    for (TimedCell& cell : each.cells) {
      for (const ProfileCalls& one : calls) {
        cell.calls += one.ranks == each.ranks && one.bytes == cell.bytes ? one.calls : 0;
      }
    }
    each.cells.remove_if([](const TimedCell& cell) { return cell.calls <= 0; });
  }
}

void sum_up_profile(ProfileDecision& decided) {
  for (std::size_t i = 0; i < decided.decisions.size(); ++i) {
    ProfileSums(decided, i).add();
  }
  const auto saved_s = [](const BeforeAndAfter& each) {
    return each.saved_s().value_or(-std::numeric_limits<double>::infinity());
  };
  // Sort the rules first, because cells refer to them by index.
  std::vector<std::size_t> order(decided.rules.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t rule) { return saved_s(decided.rules[rule]); });
  std::vector<ProfileRule> rules;
  std::vector<std::size_t> place(order.size());
  for (const std::size_t rule : order) {
    place[rule] = rules.size();
    rules.push_back(decided.rules[rule]);
  }
  decided.rules = std::move(rules);
  for (ProfileCell& cell : decided.cells) {
    cell.rule = cell.rule ? std::optional(place[*cell.rule]) : std::nullopt;
  }
  std::ranges::stable_sort(decided.cells, std::greater(), saved_s);
}

}}  // namespace tutti::experiments
