#include "src/experiments/decisions/decision_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tutti { inline namespace experiments {

namespace {

constexpr int kMostWaves = 60;
// A candidate is tried with other segment sizes only if it takes at most kNear times the best time.
// In a cell that is added between two sizes, a candidate is left out if it takes more than kOutlier
// times the best time at both sizes.
constexpr double kNear = 1.25;
constexpr double kOutlier = 1.5;

bool is_near(const TimedCell& cell, std::size_t candidate, double times) {
  const auto least = cell.least();
  return least && cell.times[candidate].timed() &&
         cell.times[candidate].seconds <= least->seconds * times;
}

// Returns the segment sizes to try. A size that is the best for a candidate in some cell is tried
// in all other cells where the candidate takes at most kNear times the best time.
std::vector<SegmentTrial> wishes_of(RankDecision& decision, const SearchTiming& timing) {
  std::vector<SegmentTrial> wishes;
  if (!timing.estimate || decision.cells.empty()) {
    return wishes;
  }
  for (std::size_t i = 0; i < decision.cells.front().times.size(); ++i) {
    if (!timing.cuts(i)) {
      continue;
    }
    std::set<SegmentCandidate> ways;
    for (const TimedCell& cell : decision.cells) {
      if (is_near(cell, i, kNear)) {
        ways.insert(cell.way_of(i));
      }
    }
    for (TimedCell& cell : decision.cells) {
      for (const SegmentCandidate& way : ways) {
        if (is_near(cell, i, kNear) && cell.recut_of(way) == nullptr && !cell.seconds_of(way) &&
            way.segment_bytes < cell.bytes) {
          wishes.push_back({&cell, way});
        }
      }
    }
  }
  return wishes;
}

// Returns the trials whose times are only estimates, although the rules depend on them.
std::vector<SegmentTrial> untimed_of(RankDecision& decision) {
  std::vector<SegmentTrial> wishes;
  std::size_t c = 0;
  for (TimedCell& cell : decision.cells) {
    for (const SizeInterval& interval : decision.intervals) {
      if (c < interval.first_cell || c > interval.last_cell) {
        continue;
      }
      const SegmentTime* const recut = cell.recut_of(interval.way());
      if (recut != nullptr && recut->state == SegmentTime::State::estimated) {
        wishes.push_back({&cell, recut->way});
      }
    }
    ++c;
  }
  return wishes;
}

// For each boundary between rules that is not known precisely enough, adds a cell in the middle of
// the range of sizes that contains the boundary. Returns the added cells.
std::vector<TimedCell*> cells_between(RankDecision& decision, std::size_t rank_index,
                                      const SearchSetup& setup) {
  std::vector<TimedCell*> added;
  const bool known = setup.crossover <= 0 || decision.borrowed;
  for (std::size_t i = 1; i < decision.intervals.size() && !known; ++i) {
    const SizeInterval& interval = decision.intervals[i];
    if (interval.candidate == decision.intervals[i - 1].candidate) {
      continue;  // the two rules differ only in the segment size
    }
    const auto low = static_cast<double>(interval.after_bytes);
    const auto high = static_cast<double>(interval.by_bytes);
    if (interval.after_bytes == 0 || high <= low * (1 + setup.crossover)) {
      continue;
    }
    const auto elements = std::llround(std::sqrt(low * high) / setup.element_bytes);
    const std::uint64_t middle = static_cast<std::uint64_t>(elements) * setup.element_bytes;
    if (middle <= interval.after_bytes || middle >= interval.by_bytes) {
      continue;
    }
    const auto place =
        std::find_if(decision.cells.begin(), decision.cells.end(),
                     [middle](const TimedCell& cell) { return cell.bytes > middle; });
    const TimedCell& above = *place;
    const TimedCell& below = *std::prev(place);
    TimedCell cell;
    cell.rank_index = static_cast<std::uint32_t>(rank_index);
    cell.bytes = middle;
    cell.on_grid = false;
    for (std::size_t c = 0; c < above.times.size(); ++c) {
      cell.outliers.push_back(c != above.baseline && !is_near(above, c, kOutlier) &&
                              !is_near(below, c, kOutlier));
    }
    added.push_back(&*decision.cells.insert(place, std::move(cell)));
  }
  return added;
}

// Sets the intervals of each number of ranks. Uses the intervals of the previous number of ranks
// instead of new intervals if the old intervals lose at most limits.tolerance more than the new
// ones.
void take_rules(std::vector<RankDecision>& decisions, const RuleLimits& limits) {
  const RankDecision* before = nullptr;
  for (RankDecision& decision : decisions) {
    const std::vector<const TimedCell*> cells = decision.cells_by_size();
    decision.intervals = intervals_of(cells, limits);
    decision.loss = loss_of(cells, decision.intervals);
    decision.borrowed = false;
    if (before != nullptr && !decision.intervals.empty()) {
      if (auto moved = moved_to(cells, before->intervals)) {
        const RulesLoss loss = loss_of(cells, *moved);
        if (loss.mean <= decision.loss.mean + limits.tolerance) {
          decision.intervals = std::move(*moved);
          decision.loss = loss;
          decision.borrowed = true;
        }
      }
    }
    before = decision.intervals.empty() ? before : &decision;
  }
}

template <typename What>
void append(std::vector<What>& all, std::vector<What> more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Returns the step for more ranks than those of `decision`, whose own step is `step`.
RankStep after_end(const RankDecision& decision, const RankStep& step) {
  RankStep after{decision.ranks + 1, {}};
  for (std::size_t i = 0; i < step.sizes.size(); ++i) {
    SizeStep size = step.sizes[i];
    const auto end = decision.ends_at.lower_bound(size.from_bytes);
    if (end != decision.ends_at.end() &&
        (i + 1 == step.sizes.size() || *end < step.sizes[i + 1].from_bytes)) {
      size.choice = choice_left_to_library();
      size.why = fmt::format(
          "the library's own choice; from {} ranks on, the rule for {} ranks is slower or was not "
          "simulated",
          after.from_ranks, decision.ranks);
    }
    if (after.sizes.empty() || after.sizes.back().choice != size.choice) {
      after.sizes.push_back(std::move(size));
    }
  }
  return after;
}

}  // namespace

double RankDecision::calls_of(std::uint64_t bytes) const {
  const auto found = std::ranges::find(cells, bytes, &TimedCell::bytes);
  return found == cells.end() ? 0 : found->calls;
}

std::vector<const TimedCell*> RankDecision::cells_by_size() const {
  std::vector<const TimedCell*> found;
  found.reserve(cells.size());
  for (const TimedCell& cell : cells) {
    found.push_back(&cell);
  }
  return found;
}

void search_decisions(std::vector<RankDecision>& decisions, const SearchSetup& setup,
                      const SearchTiming& timing) {
  for (int wave = 0; wave < kMostWaves; ++wave) {
    std::vector<SegmentTrial> wishes;
    for (RankDecision& decision : decisions) {
      append(wishes, wishes_of(decision, timing));
    }
    if (!wishes.empty()) {
      timing.estimate(wishes);
    }
    take_rules(decisions, setup.limits);
    std::vector<SegmentTrial> untimed;
    for (RankDecision& decision : decisions) {
      append(untimed, untimed_of(decision));
    }
    if (!untimed.empty()) {
      timing.recut(untimed);
      continue;
    }
    std::vector<TimedCell*> added;
    for (std::size_t r = 0; r < decisions.size(); ++r) {
      append(added, cells_between(decisions[r], r, setup));
    }
    if (added.empty()) {
      return;
    }
    timing.time(added);
  }
  take_rules(decisions, setup.limits);
}

void decide_anew(std::vector<RankDecision>& decisions, const RuleLimits& limits) {
  for (RankDecision& decision : decisions) {
    for (TimedCell& cell : decision.cells) {
      std::erase_if(cell.recuts, [](const SegmentTime& recut) {
        return recut.state == SegmentTime::State::estimated;
      });
    }
  }
  take_rules(decisions, limits);
}

std::vector<RankStep> steps_of(
    const std::vector<RankDecision>& decisions, const std::vector<Candidate>& candidates,
    const std::function<std::string(const RankDecision&, std::size_t interval)>& why) {
  std::vector<RankStep> steps;
  for (const RankDecision& decision : decisions) {
    RankStep step{decision.ranks, {}};
    for (const SizeInterval& interval : decision.intervals) {
      Choice choice = candidates[interval.candidate].choice;
      choice.segment_bytes = interval.segment_bytes;
      step.sizes.push_back({interval.from_bytes,
                            choice.left_to_library ? choice_left_to_library() : std::move(choice),
                            ""});
    }
    const bool repeated = !steps.empty() && steps.back().sizes == step.sizes;
    if (step.sizes.empty() || (repeated && decision.ends_at.empty())) {
      continue;
    }
    for (std::size_t i = 0; i < step.sizes.size(); ++i) {
      step.sizes[i].why = why(decision, i);
    }
    RankStep after;
    if (!decision.ends_at.empty()) {
      after = after_end(decision, step);
    }
    if (!repeated) {
      steps.push_back(std::move(step));
    }
    if (!decision.ends_at.empty()) {
      steps.push_back(std::move(after));
    }
  }
  return steps;
}

}}  // namespace tutti::experiments
