#include "src/experiments/decisions/decision_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace tutti {

namespace {

constexpr int kMostWaves = 40;

std::vector<const TimedCell*> pointers(const std::list<TimedCell>& cells) {
  std::vector<const TimedCell*> found;
  for (const TimedCell& cell : cells) {
    found.push_back(&cell);
  }
  return found;
}

// Says of each candidate whether it may stand for the best in this cell. None may where none runs.
std::vector<bool> good_enough(const TimedCell& cell, double tolerance) {
  std::vector<bool> good(cell.times.size(), false);
  const auto best = cell.best();
  for (std::size_t i = 0; best && i < good.size(); ++i) {
    good[i] = cell.times[i].timed() &&
              cell.times[i].seconds <= cell.times[*best].seconds * (1 + tolerance + 1e-9);
  }
  return good;
}

// Takes that one of those which are good enough in all cells of a reign that loses least in sum.
std::size_t least_loss(const std::vector<const TimedCell*>& cells, std::size_t first,
                       std::size_t last, const std::vector<bool>& allowed) {
  std::size_t found = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    if (!allowed[i]) {
      continue;
    }
    double loss = 0;
    for (std::size_t c = first; c <= last; ++c) {
      if (const auto best = cells[c]->best()) {
        const double best_s = cells[c]->times[*best].seconds;
        loss += best_s > 0 ? cells[c]->times[i].seconds / best_s - 1 : 0;
      }
    }
    if (loss < least - 1e-9) {
      least = loss;
      found = i;
    }
  }
  return found;
}

// A reign of one candidate, cut where the size of its segments changes.
void add_reign(std::vector<Reign>& reigns, const std::vector<const TimedCell*>& cells,
               std::size_t first, std::size_t last, std::size_t candidate) {
  for (std::size_t c = first; c <= last; ++c) {
    const CandidateTime& time = cells[c]->times[candidate];
    // Uncut has a size too, that of the whole.
    const std::uint64_t segment =
        time.timed() && time.segment_bytes < cells[c]->bytes ? time.segment_bytes : 0;
    if (c > first && (!time.timed() || reigns.back().segment_bytes == segment)) {
      reigns.back().last_cell = c;
      continue;
    }
    Reign reign;
    reign.candidate = candidate;
    reign.segment_bytes = segment;
    reign.first_cell = reign.last_cell = c;
    if (!reigns.empty()) {
      reign.after_bytes = cells[c - 1]->bytes;
      reign.by_bytes = cells[c]->bytes;
      reign.from_bytes = roundest(reign.after_bytes, reign.by_bytes);
    }
    reigns.push_back(reign);
  }
}

}  // namespace

std::uint64_t roundest(std::uint64_t after, std::uint64_t by) {
  TUTTI_INVARIANT(after < by);
  for (unsigned shift = 63; shift > 0; --shift) {
    const std::uint64_t rounded = by >> shift << shift;
    if (rounded > after) {
      return rounded;
    }
  }
  return by;
}

std::vector<Reign> reigns_of(const std::vector<const TimedCell*>& cells, double tolerance) {
  std::vector<Reign> reigns;
  std::vector<bool> allowed;
  std::size_t first = 0;
  const auto end_reign = [&](std::size_t last) {
    if (!allowed.empty()) {
      add_reign(reigns, cells, first, last, least_loss(cells, first, last, allowed));
    }
  };
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::vector<bool> good = good_enough(*cells[c], tolerance);
    if (std::find(good.begin(), good.end(), true) == good.end()) {
      continue;
    }
    std::vector<bool> both = good;
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      both[i] = both[i] && allowed[i];
    }
    if (!allowed.empty() && std::find(both.begin(), both.end(), true) == both.end()) {
      end_reign(c - 1);
      first = c;
      allowed = good;
    } else {
      first = allowed.empty() ? c : first;
      allowed = std::move(both);
    }
  }
  end_reign(cells.empty() ? 0 : cells.size() - 1);
  return reigns;
}

void search_decisions(std::vector<RankDecision>& decisions, const SearchSetup& setup,
                      const std::function<void(const std::vector<TimedCell*>&)>& time) {
  for (int wave = 0; wave < kMostWaves; ++wave) {
    std::vector<TimedCell*> added;
    for (std::size_t r = 0; r < decisions.size(); ++r) {
      RankDecision& decision = decisions[r];
      decision.reigns = reigns_of(pointers(decision.cells), setup.tolerance);
      for (std::size_t i = 1; i < decision.reigns.size() && setup.crossover > 0; ++i) {
        const Reign& reign = decision.reigns[i];
        if (reign.candidate == decision.reigns[i - 1].candidate) {
          continue;  // only the size of segments changes
        }
        const auto low = static_cast<double>(reign.after_bytes);
        const auto high = static_cast<double>(reign.by_bytes);
        if (reign.after_bytes == 0 || high <= low * (1 + setup.crossover)) {
          continue;
        }
        const auto elements = std::llround(std::sqrt(low * high) / setup.element_bytes);
        const std::uint64_t middle = static_cast<std::uint64_t>(elements) * setup.element_bytes;
        if (middle <= reign.after_bytes || middle >= reign.by_bytes) {
          continue;
        }
        const auto place =
            std::find_if(decision.cells.begin(), decision.cells.end(),
                         [middle](const TimedCell& cell) { return cell.bytes > middle; });
        TimedCell cell;
        cell.rank_index = static_cast<std::uint32_t>(r);
        cell.bytes = middle;
        cell.on_grid = false;
        added.push_back(&*decision.cells.insert(place, std::move(cell)));
      }
    }
    if (added.empty()) {
      return;
    }
    time(added);
  }
  for (RankDecision& decision : decisions) {
    decision.reigns = reigns_of(pointers(decision.cells), setup.tolerance);
  }
}

std::vector<RankStep> steps_of(const std::vector<RankDecision>& decisions,
                               const std::vector<Candidate>& candidates) {
  std::vector<RankStep> steps;
  for (const RankDecision& decision : decisions) {
    RankStep step{decision.ranks, {}};
    for (const Reign& reign : decision.reigns) {
      Choice choice = candidates[reign.candidate].choice;
      choice.segment_bytes = reign.segment_bytes;
      step.sizes.push_back({reign.from_bytes, std::move(choice)});
    }
    if (!step.sizes.empty() && (steps.empty() || steps.back().sizes != step.sizes)) {
      steps.push_back(std::move(step));
    }
  }
  return steps;
}

}  // namespace tutti
