#include "src/experiments/decisions/placement_spread.hpp"

#include <algorithm>
#include <limits>

namespace tutti::inline experiments {

namespace {

// Times that differ by at most this share are equal up to rounding: the choice is then as good as
// the best candidate.
constexpr double kLevel = 1e-9;

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

class SpreadOfCell {
 public:
  explicit SpreadOfCell(const TimedCell& cell) : cell_(cell) {}

  // Returns the shortest time of each candidate in a placement, over all segment sizes; infinite
  // for a candidate without a time.
  [[nodiscard]] std::vector<double> least_of_each(std::size_t placement) const {
    std::vector<double> least(cell_.times.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (cell_.times[i].timed()) {
        least[i] = cell_.times[i].placed_s[placement];
      }
    }
    for (const SegmentTime& recut : cell_.recuts) {
      if (recut.state == SegmentTime::State::timed) {
        double& own = least[recut.way.candidate];
        own = std::min(own, recut.placed_s[placement]);
      }
    }
    return least;
  }

  [[nodiscard]] PlacementCell against(const std::vector<double>& choice_s,
                                      const SegmentCandidate& choice,
                                      std::uint32_t first_seed) const {
    PlacementCell found;
    found.bytes = cell_.bytes;
    found.rank_index = cell_.rank_index;
    found.choice = choice;
    found.least_s = *std::min_element(choice_s.begin(), choice_s.end());
    found.most_s = *std::max_element(choice_s.begin(), choice_s.end());
    found.worst_seed = first_seed;
    double sum_s = 0;
    double best_sum_s = 0;
    std::vector<std::size_t> wins(cell_.times.size());
    for (std::size_t k = 0; k < choice_s.size(); ++k) {
      const std::vector<double> least = least_of_each(k);
      const auto best = std::min_element(least.begin(), least.end());
      sum_s += choice_s[k];
      best_sum_s += *best;
      const bool level = choice_s[k] <= *best * (1 + kLevel);
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

 private:
  const TimedCell& cell_;
};

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
        SegmentCandidate choice = interval.way();
        choice.segment_bytes = choice.segment_bytes < cell.bytes ? choice.segment_bytes : 0;
        const std::vector<double>* const choice_s = placed_times(cell, choice);
        if (cell.on_grid && choice_s != nullptr && !choice_s->empty()) {
          found.push_back(SpreadOfCell(cell).against(*choice_s, choice, decision.first_seed));
        }
      }
    }
  }
  return found;
}

}  // namespace tutti::inline experiments
