#include "src/experiments/decisions/placement_spread.hpp"

#include <algorithm>
#include <limits>

namespace tutti { inline namespace experiments {

namespace {

// Times that differ by at most this share are equal up to rounding: the choice is then as good as
// the best candidate.
constexpr double kEqualTimes = 1e-9;

// Returns the times of `way`, a candidate with a segment size: one per placement. Returns null if
// `way` was not timed.
const std::vector<double>* placed_times(const TimedCell& cell, const SegmentCandidate& way) {
  if (cell.times[way.candidate].timed() && cell.way_of(way.candidate) == way) {
    return &cell.times[way.candidate].placed_s;
  }
  for (const SegmentTime& recut : cell.recuts) {
    if (recut.way == way && recut.state == SegmentTime::State::timed) {
      return &recut.placed_s;
    }
  }
  return nullptr;
}

// Returns the shortest time of each candidate in a placement, over all segment sizes; infinite
// for a candidate without a time.
std::vector<double> least_of_each(const TimedCell& cell, std::size_t placement) {
  std::vector<double> least(cell.times.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (cell.times[i].timed()) {
      least[i] = cell.times[i].placed_s[placement];
    }
  }
  for (const SegmentTime& recut : cell.recuts) {
    if (recut.state == SegmentTime::State::timed) {
      double& own = least[recut.way.candidate];
      own = std::min(own, recut.placed_s[placement]);
    }
  }
  return least;
}

PlacementCell spread_of(const TimedCell& cell, const std::vector<double>& choice_s,
                        const SegmentCandidate& choice, std::uint32_t first_seed) {
  PlacementCell found;
  found.bytes = cell.bytes;
  found.rank_index = cell.rank_index;
  found.choice = choice;
  found.least_s = *std::min_element(choice_s.begin(), choice_s.end());
  found.most_s = *std::max_element(choice_s.begin(), choice_s.end());
  found.worst_seed = first_seed;
  double sum_s = 0;
  double best_sum_s = 0;
  std::vector<std::size_t> wins(cell.times.size());
  for (std::size_t k = 0; k < choice_s.size(); ++k) {
    const std::vector<double> least = least_of_each(cell, k);
    const auto best = std::min_element(least.begin(), least.end());
    sum_s += choice_s[k];
    best_sum_s += *best;
    const bool level = choice_s[k] <= *best * (1 + kEqualTimes);
    found.choice_wins += level ? 1 : 0;
    ++wins[level ? choice.candidate : static_cast<std::size_t>(best - least.begin())];
    if (const double loss = level || *best <= 0 ? 0 : choice_s[k] / *best - 1;
        loss > found.most_loss) {
      found.most_loss = loss;
      found.worst_seed = first_seed + static_cast<std::uint32_t>(k);
    }
  }
  found.mean_s = sum_s / static_cast<double>(choice_s.size());
  found.mean_loss = best_sum_s > 0 ? std::max(0.0, sum_s / best_sum_s - 1) : 0;
  for (std::size_t i = 0; i < wins.size(); ++i) {
    if (wins[i] > 0) {
      found.winners.push_back({i, wins[i]});
    }
  }
  std::stable_sort(found.winners.begin(), found.winners.end(),
                   [](const PlacementWinner& a, const PlacementWinner& b) {
                     return a.placements > b.placements;
                   });
  return found;
}

}  // namespace

std::vector<PlacementCell> placement_spread(const Decision& decision) {
  std::vector<PlacementCell> found;
  if (decision.placements() < 2) {
    return found;
  }
  for (const RankDecision& each : decision.decisions) {
    const std::vector<const TimedCell*> cells = each.cells_by_size();
    for (const SizeInterval& interval : each.intervals) {
      for (std::size_t c = interval.first_cell; c <= interval.last_cell; ++c) {
        const TimedCell& cell = *cells[c];
        const SegmentCandidate choice = cell.as_unsegmented(interval.way());
        const std::vector<double>* const choice_s = placed_times(cell, choice);
        if (cell.on_grid && choice_s != nullptr && !choice_s->empty()) {
          found.push_back(spread_of(cell, *choice_s, choice, decision.first_seed));
        }
      }
    }
  }
  return found;
}

}}  // namespace tutti::experiments
