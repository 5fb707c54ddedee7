#include "src/experiments/compare/cell_winners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "base/relative_error.hpp"
#include "src/simulation/explain/explain_lead.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace experiments {

namespace {

template <typename Numbers>
std::vector<std::size_t> rising(const Numbers& numbers) {
  std::vector<std::size_t> places(numbers.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(),
            [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  return places;
}

bool has(const std::vector<std::size_t>& all, std::size_t one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Returns the times of the contenders that can be the best. A schedule that is not proved may do
// less than the collective must do, so it is not ranked among schedules that are proved.
std::map<std::size_t, RangedTime> times_to_rank(const Comparison& comparison, std::size_t rank,
                                                std::size_t size) {
  std::map<std::size_t, RangedTime> proved;  // key: contender
  std::map<std::size_t, RangedTime> all;
  for (std::size_t i = 0; i < comparison.contenders.size(); ++i) {
    if (const RunResult* const result = comparison.run(rank, size, i).outcome.result()) {
      all.emplace(i, result->time());
      if (result->why_unproved().empty()) {
        proved.emplace(i, result->time());
      }
    }
  }
  return proved.empty() ? all : proved;
}

CellWinners winners_of(const Comparison& comparison, std::size_t rank, std::size_t size) {
  CellWinners cell;
  const std::map<std::size_t, RangedTime> times = times_to_rank(comparison, rank, size);
  bool first = true;
  for (const auto& [i, time] : times) {
    cell.best = first || time.seconds < cell.best.seconds ? time : cell.best;
    first = false;
  }
  for (const auto& [i, time] : times) {
    if (!differs(time.seconds, cell.best.seconds)) {
      cell.who.push_back(i);
      // Among equal times, take the time whose range has the lowest upper end.
      cell.best = time.most_s() < cell.best.most_s() ? time : cell.best;
    } else if (!cell.second || time.seconds < cell.next.seconds) {
      cell.second = i;
      cell.next = time;
    }
  }
  for (const auto& [i, time] : times) {
    if (!has(cell.who, i) && level_within_ties(time, cell.best)) {
      cell.level.push_back(i);
    }
  }
  return cell;
}

}  // namespace

std::optional<double> CellWinners::margin() const {
  if (!second || best.seconds <= 0) {
    return std::nullopt;
  }
  return level.empty() ? next.seconds / best.seconds - 1 : 0;
}

WinnerMap::WinnerMap(const Comparison& comparison)
    : comparison_(comparison),
      ranks_(rising(comparison.ranks)),
      sizes_(rising(comparison.sizes_bytes)) {
  for (const std::size_t rank : ranks_) {
    for (const std::size_t size : sizes_) {
      cells_.push_back(winners_of(comparison, rank, size));
    }
  }
  choose_shown();
}

void WinnerMap::choose_shown() {
  shown_.assign(cells_.size(), std::nullopt);
  for (;;) {
    std::vector<std::size_t> wins(comparison_.contenders.size(), 0);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (!shown_[i]) {
        for (const std::size_t contender : cells_[i].who) {
          ++wins[contender];
        }
      }
    }
    const auto most = std::max_element(wins.begin(), wins.end());
    if (most == wins.end() || *most == 0) {
      break;
    }
    const auto contender = static_cast<std::size_t>(most - wins.begin());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (!shown_[i] && has(cells_[i].who, contender)) {
        shown_[i] = contender;
      }
    }
  }
  // Collect the shown contenders in the reading order of the map, which has one line per size.
  for (std::size_t size = 0; size < sizes_.size(); ++size) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (const auto contender = shown(rank, size); contender && !has(all_shown_, *contender)) {
        all_shown_.push_back(*contender);
      }
    }
  }
}

std::string WinnerMap::with_equals(std::size_t contender) const {
  std::size_t cells = 0;
  std::vector<std::size_t> ties(comparison_.contenders.size(), 0);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (shown_[i] == contender) {
      ++cells;
      for (const std::size_t other : cells_[i].who) {
        ++ties[other];
      }
    }
  }
  std::string text = comparison_.contenders[contender].label;
  for (std::size_t i = 0; i < ties.size(); ++i) {
    text += i != contender && ties[i] == cells ? " = " + comparison_.contenders[i].label : "";
  }
  for (std::size_t i = 0; i < ties.size(); ++i) {
    if (i != contender && ties[i] > 0 && ties[i] < cells) {
      text +=
          fmt::format(", in {} of {} cells = {}", ties[i], cells, comparison_.contenders[i].label);
    }
  }
  return text;
}

bool WinnerMap::few_cells() const {
  constexpr std::size_t kFew = 4;
  return cells_.size() <= kFew;
}

std::vector<std::size_t> WinnerMap::leads_of(std::size_t contender) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (shown_[i] == contender && cells_[i].margin() && cells_[i].level.empty()) {
      places.push_back(i);
    }
  }
  std::ranges::stable_sort(places, std::greater(),
                           [&](std::size_t place) { return *cells_[place].margin(); });
  constexpr std::size_t kTries = 3;
  places.resize(std::min(places.size(), kTries));
  return places;
}

void WinnerMap::explain() {
  const auto explain_at = [&](std::size_t place, std::size_t best) {
    CellWinners& cell = cells_[place];
    const auto result_of = [&](std::size_t contender) -> const RunResult& {
      return *comparison_
                  .run(ranks_[place / sizes_.size()], sizes_[place % sizes_.size()], contender)
                  .outcome.result();
    };
    const RunResult& first = result_of(best);
    const RunResult& second = result_of(*cell.second);
    const double ties_s = std::fabs((second.simulated_s - first.simulated_s) -
                                    (second.time().seconds - first.time().seconds));
    const auto account_of = [](const RunResult& result) {
      return account_for_lead({result.algorithm, result.problem, &result.machine});
    };
    cell.why = explain_lead(account_of(first), account_of(second),
                            comparison_.contenders[*cell.second].label, ties_s);
    return !cell.why.empty();
  };
  if (few_cells()) {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i].second && cells_[i].level.empty()) {
        (void)explain_at(i, cells_[i].who.front());
      }
    }
    return;
  }
  for (const std::size_t contender : all_shown_) {
    const std::vector<std::size_t> places = leads_of(contender);
    (void)std::ranges::any_of(places,
                              [&](std::size_t place) { return explain_at(place, contender); });
  }
}

}}  // namespace tutti::experiments
