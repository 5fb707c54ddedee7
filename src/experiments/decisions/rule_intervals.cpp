#include "src/experiments/decisions/rule_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Loss of a choice that has no time or is not allowed: larger than all real losses, but finite, so
// that losses can be summed.
constexpr double kUntimed = 1e6;
// Losses that differ by less than this are equal up to rounding, so the choice stays the same from
// one cell to the next.
constexpr double kLevel = 1e-9;
// If ties decide which of two choices is faster, only this share of their difference counts as a
// loss. It is just enough to prefer the shorter time if all else is equal.
constexpr double kWithinTies = 1e-9;
// Smallest penalty for each additional rule, even if the tolerance is 0. It is larger than the sum
// of all losses within ties.
constexpr double kLeastPenalty = 1e-8;
// Largest loss that rounding a boundary may cause, at any size between the rounded boundary and the
// size at which the two times cross.
constexpr double kRoundLoss = 0.1;

using Cells = std::vector<const TimedCell*>;

// Returns, for each cell, the time of the cell's calls as a share of the time of all calls in a
// program's profile. Assumes that each call uses the best choice. Empty if there is no profile.
std::vector<double> shares_of_calls(const Cells& cells) {
  std::vector<double> shares;
  double sum = 0;
  for (const TimedCell* cell : cells) {
    const auto least = cell->least();
    shares.push_back(least ? cell->calls * least->seconds : 0);
    sum += shares.back();
  }
  if (sum <= 0) {
    return {};
  }
  for (double& share : shares) {
    share /= sum;
  }
  return shares;
}

double place_of(const TimedCell& cell) {
  return std::log2(static_cast<double>(std::max<std::uint64_t>(cell.bytes, 1)));
}

// The distances of a cell to its neighbours, on a logarithmic scale of sizes.
struct Distances {
  double before = 0;
  double after = 0;
};

// Returns the distances between neighbours among `places`, which must be in rising order. The first
// place is as far from its missing neighbour as from the next place, because its rule decides also
// what is below; so is the last place, because its rule decides all that is above.
std::vector<Distances> distances_of(const std::vector<double>& places) {
  std::vector<Distances> found(places.size());
  for (std::size_t i = 1; i < places.size(); ++i) {
    found[i].before = found[i - 1].after = places[i] - places[i - 1];
  }
  found.front().before = found.front().after;
  found.back().after = found.back().before;
  return found;
}

// Returns the weight of each cell: its share of the range of sizes on a logarithmic scale or, with
// a program's profile, its share of the time of the calls. Cells that were added between the sizes
// of the grid share the range with these sizes, but each size of the grid has at least half the
// weight that it would have without added cells. The weights sum to 1.
std::vector<double> shares_of(const Cells& cells) {
  if (std::vector<double> shares = shares_of_calls(cells); !shares.empty()) {
    return shares;
  }
  std::vector<double> places;
  std::vector<double> on_grid;
  for (const TimedCell* const cell : cells) {
    places.push_back(place_of(*cell));
    if (cell->on_grid) {
      on_grid.push_back(places.back());
    }
  }
  const std::vector<Distances> among_all = distances_of(places);
  const std::vector<Distances> among_grid =
      on_grid.empty() ? std::vector<Distances>() : distances_of(on_grid);
  std::vector<double> shares;
  double sum = 0;
  for (std::size_t c = 0, g = 0; c < cells.size(); ++c) {
    Distances own = among_all[c];
    double least = 0;
    if (cells[c]->on_grid) {
      const Distances& grid = among_grid[g++];
      own.before = c == 0 ? grid.before : own.before;
      own.after = c + 1 == cells.size() ? grid.after : own.after;
      least = (grid.before + grid.after) / 4;
    }
    shares.push_back(std::max((own.before + own.after) / 2, least));
    sum += shares.back();
  }
  for (double& share : shares) {
    share = sum > 0 ? share / sum : 1 / static_cast<double>(cells.size());
  }
  return shares;
}

std::vector<SegmentCandidate> ways_of(const Cells& cells) {
  std::vector<SegmentCandidate> ways;
  for (const TimedCell* cell : cells) {
    for (std::size_t i = 0; i < cell->times.size(); ++i) {
      if (cell->times[i].timed()) {
        ways.push_back(cell->way_of(i));
      }
    }
    for (const SegmentTime& recut : cell->recuts) {
      if (recut.known()) {
        ways.push_back(recut.way);
      }
    }
    if (cell->baseline) {
      ways.push_back({*cell->baseline, 0});
    }
  }
  std::sort(ways.begin(), ways.end());
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  return ways;
}

// Finds the chain of choices (one per cell) with the least sum of losses and penalties. Each change
// of the choice between neighbouring cells costs `penalty`. Uses dynamic programming. If the number
// of rules is limited, layer k has the chains that have changed their choice k times; otherwise,
// there is a single layer. The work is linear in the numbers of cells, choices and layers.
struct ChainSearch {
  // Losses by cell and choice, weighted by the share of the cell.
  const std::vector<std::vector<double>>& losses;
  double penalty;
  std::size_t layers;  // maximum number of rules; 0: any number

  [[nodiscard]] std::vector<std::size_t> best() const {
    const std::size_t cells = losses.size();
    const std::size_t ways = losses.front().size();
    const bool any = layers == 0;
    const std::size_t depth = any ? 1 : layers;
    // Consider the best chain of layer k that has choice w in cell c: came[c][k * ways + w] is its
    // choice in cell c - 1. If this choice is not w, the chain up to cell c - 1 is in the previous
    // layer, unless there is a single layer.
    std::vector<std::vector<std::uint32_t>> came(cells, std::vector<std::uint32_t>(depth * ways));
    std::vector<double> sums(depth * ways, kNever);
    std::copy(losses[0].begin(), losses[0].end(), sums.begin());
    for (std::size_t c = 1; c < cells; ++c) {
      std::vector<double> next(depth * ways, kNever);
      for (std::size_t k = 0; k < depth; ++k) {
        const std::size_t from = any ? 0 : k - 1;
        std::size_t change = ways;
        if (any || k > 0) {
          const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(from * ways);
          change = static_cast<std::size_t>(
              std::min_element(begin, begin + static_cast<std::ptrdiff_t>(ways)) - begin);
        }
        for (std::size_t w = 0; w < ways; ++w) {
          double sum = sums[k * ways + w];
          std::size_t before = w;
          if (change < ways && sums[from * ways + change] + penalty < sum - kLevel) {
            sum = sums[from * ways + change] + penalty;
            before = change;
          }
          next[k * ways + w] = sum + losses[c][w];
          came[c][k * ways + w] = static_cast<std::uint32_t>(before);
        }
      }
      sums = std::move(next);
    }
    const auto end = std::min_element(sums.begin(), sums.end()) - sums.begin();
    std::size_t k = static_cast<std::size_t>(end) / ways;
    std::size_t w = static_cast<std::size_t>(end) % ways;
    std::vector<std::size_t> chain(cells, w);
    for (std::size_t c = cells; c-- > 1;) {
      const std::size_t before = came[c][k * ways + w];
      k -= !any && before != w ? 1 : 0;
      w = before;
      chain[c - 1] = w;
    }
    return chain;
  }
};

// Returns the largest loss in a cell for which a boundary at `bytes` selects the wrong rule. The
// rule `before` is right for the cells with indices below `first`, the rule `after` for the others.
double given_away(const Cells& cells, std::size_t first, const SizeInterval& before,
                  const SizeInterval& after, std::uint64_t bytes) {
  double most = 0;
  for (std::size_t c = before.first_cell; c <= after.last_cell; ++c) {
    const double gives = loss_in(*cells[c], before.way()) - loss_in(*cells[c], after.way());
    if (c < first && cells[c]->bytes >= bytes) {
      most = std::max(most, -gives);
    } else if (c >= first && cells[c]->bytes < bytes) {
      most = std::max(most, gives);
    }
  }
  return most;
}

// Returns the boundary, in bytes, between the rules `before` and `after`: a number 2^k or 3 * 2^k
// that is less than a factor of sqrt(2) away from the size at which the times of the rules cross.
// The boundary must cause a loss of at most kRoundLoss, and leave each of the two rules at least
// one cell. If there are several such numbers, returns the nearest; if there is none,
// roundest(after.after_bytes, after.by_bytes).
std::uint64_t round_boundary(const Cells& cells, const SizeInterval& before,
                             const SizeInterval& after) {
  const double middle =
      std::sqrt(static_cast<double>(std::max<std::uint64_t>(after.after_bytes, 1)) *
                static_cast<double>(after.by_bytes));
  std::uint64_t found = roundest(after.after_bytes, after.by_bytes);
  double nearest = 0.5;
  for (unsigned shift = 0; shift < 62; ++shift) {
    for (const std::uint64_t round : {std::uint64_t{1} << shift, std::uint64_t{3} << shift}) {
      const double far = std::abs(std::log2(static_cast<double>(round) / middle));
      if (far < nearest && round > cells[before.first_cell]->bytes &&
          round <= cells[after.last_cell]->bytes &&
          given_away(cells, after.first_cell, before, after, round) <= kRoundLoss) {
        nearest = far;
        found = round;
      }
    }
  }
  return found;
}

// Sets the first and the last cell of each interval from the size at which the interval begins.
void place(const Cells& cells, std::vector<SizeInterval>& intervals) {
  std::size_t c = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    intervals[i].first_cell = c;
    while (c < cells.size() &&
           (i + 1 == intervals.size() || cells[c]->bytes < intervals[i + 1].from_bytes)) {
      ++c;
    }
    intervals[i].last_cell = c - 1;
  }
}

void round_boundaries(const Cells& cells, std::vector<SizeInterval>& intervals) {
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    intervals[i].from_bytes = round_boundary(cells, intervals[i - 1], intervals[i]);
  }
  // Two boundaries may have been rounded so close together that the rule between them has no cell.
  // Such boundaries get the roundest numbers in their own ranges instead.
  for (std::size_t i = 1; i + 1 < intervals.size(); ++i) {
    const bool any = std::any_of(cells.begin(), cells.end(), [&](const TimedCell* cell) {
      return cell->bytes >= intervals[i].from_bytes && cell->bytes < intervals[i + 1].from_bytes;
    });
    for (std::size_t j = i; j <= i + 1 && !any; ++j) {
      intervals[j].from_bytes = roundest(intervals[j].after_bytes, intervals[j].by_bytes);
    }
  }
  place(cells, intervals);
}

}  // namespace

double loss_in(const TimedCell& cell, const SegmentCandidate& way) {
  const auto best = cell.least();
  if (!best) {
    return 0;
  }
  const auto own = cell.time_of(way);
  if (!own && cell.baseline == way.candidate) {
    return 0;
  }
  if (!own || !cell.allows(way)) {
    return kUntimed;
  }
  const double loss = best->seconds > 0 ? own->seconds / best->seconds - 1 : 0;
  return loss < kLevel ? 0 : level_within_ties(*own, *best) ? kWithinTies * loss : loss;
}

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

std::vector<SizeInterval> intervals_of(const Cells& cells, const RuleLimits& limits) {
  const std::vector<SegmentCandidate> ways =
      cells.empty() ? std::vector<SegmentCandidate>{} : ways_of(cells);
  if (ways.empty()) {
    return {};
  }
  const std::vector<double> shares = shares_of(cells);
  std::vector<std::vector<double>> losses(cells.size(), std::vector<double>(ways.size()));
  for (std::size_t c = 0; c < cells.size(); ++c) {
    for (std::size_t w = 0; w < ways.size(); ++w) {
      losses[c][w] = shares[c] * loss_in(*cells[c], ways[w]);
    }
  }
  const ChainSearch search{losses, std::max(limits.tolerance, kLeastPenalty),
                           limits.at_most.value_or(0)};
  const std::vector<std::size_t> chain = search.best();
  std::vector<SizeInterval> intervals;
  for (std::size_t c = 0; c < chain.size(); ++c) {
    if (c > 0 && chain[c] == chain[c - 1]) {
      intervals.back().last_cell = c;
      continue;
    }
    SizeInterval interval;
    interval.candidate = ways[chain[c]].candidate;
    interval.segment_bytes = ways[chain[c]].segment_bytes;
    interval.first_cell = interval.last_cell = c;
    if (c > 0) {
      interval.after_bytes = cells[c - 1]->bytes;
      interval.by_bytes = cells[c]->bytes;
    }
    intervals.push_back(interval);
  }
  round_boundaries(cells, intervals);
  return intervals;
}

std::optional<std::vector<SizeInterval>> moved_to(const Cells& cells,
                                                  const std::vector<SizeInterval>& intervals) {
  std::vector<SizeInterval> moved;
  for (const SizeInterval& interval : intervals) {
    const std::uint64_t end = &interval == &intervals.back()
                                  ? std::numeric_limits<std::uint64_t>::max()
                                  : (&interval + 1)->from_bytes;
    const bool any = std::any_of(cells.begin(), cells.end(), [&](const TimedCell* cell) {
      return cell->bytes >= interval.from_bytes && cell->bytes < end;
    });
    if (!any) {
      return std::nullopt;
    }
    moved.push_back(interval);
  }
  place(cells, moved);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    SizeInterval& interval = moved[i];
    for (std::size_t c = interval.first_cell; c <= interval.last_cell; ++c) {
      if (loss_in(*cells[c], interval.way()) >= kUntimed) {
        return std::nullopt;
      }
    }
    interval.after_bytes = i == 0 ? 0 : cells[interval.first_cell - 1]->bytes;
    interval.by_bytes = i == 0 ? 0 : cells[interval.first_cell]->bytes;
  }
  return moved;
}

RulesLoss loss_of(const Cells& cells, const std::vector<SizeInterval>& intervals) {
  RulesLoss loss;
  const std::vector<double> shares = cells.empty() ? std::vector<double>{} : shares_of(cells);
  for (const SizeInterval& interval : intervals) {
    for (std::size_t c = interval.first_cell; c <= interval.last_cell; ++c) {
      const double here = loss_in(*cells[c], interval.way());
      loss.mean += shares[c] * here;
      if (here > loss.most) {
        loss.most = here;
        loss.worst = cells[c];
      }
    }
  }
  return loss;
}

}}  // namespace tutti::experiments
