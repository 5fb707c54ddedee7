#include "src/experiments/points/scores.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/median.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr double kSame = 1.0001;  // predictions within this factor count as equal
constexpr double kShort = 1e-12;  // replaces a time of 0, which has no logarithm

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

double share_up_to(const std::vector<double>& values, double most) {
  const auto count =
      std::count_if(values.begin(), values.end(), [most](double value) { return value <= most; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

// Contribution of one cell to a score.
struct CellScore {
  double share_best = 0;  // of the chosen algorithms: those that are the fastest
  double share_near = 0;  // those that take at most 10 % more time than the fastest
  double loss = 1;
  double fastest_s = 0;
  double share_sure = 0;       // those whose choice is sure
  double share_sure_near = 0;  // those that are both
};

CellScore score_cell(const std::vector<BenchmarkPoint>& points, const ScoreCell& cell,
                     const std::vector<std::optional<double>>& predicted_s,
                     const SurePoints* sure) {
  double fastest_s = std::numeric_limits<double>::infinity();
  double least_s = fastest_s;
  for (const std::size_t i : cell.points) {
    fastest_s = std::min(fastest_s, points[i].measured_s);
    least_s = std::min(least_s, *predicted_s[i]);
  }
  CellScore found;
  found.fastest_s = fastest_s;
  std::vector<double> losses;
  std::vector<double> sure_losses;
  for (const std::size_t i : cell.points) {
    if (*predicted_s[i] <= least_s * kSame) {
      losses.push_back(points[i].measured_s / fastest_s);
      if (sure != nullptr && sure->chances[i] >= sure->level) {
        sure_losses.push_back(losses.back());
      }
    }
  }
  const auto chosen = static_cast<double>(losses.size());
  if (!sure_losses.empty()) {
    found.share_sure = static_cast<double>(sure_losses.size()) / chosen;
    found.share_sure_near = found.share_sure * share_up_to(sure_losses, kGoodChoice);
  }
  for (const double loss : losses) {
    found.share_best += loss == 1 ? 1 / chosen : 0;
  }
  found.share_near = share_up_to(losses, kGoodChoice);
  found.loss = geometric_mean(losses);
  return found;
}

std::pair<std::uint64_t, std::string> range_of(std::uint64_t value,
                                               std::initializer_list<std::uint64_t> bounds,
                                               std::initializer_list<const char*> names) {
  const auto at = std::lower_bound(bounds.begin(), bounds.end(), value) - bounds.begin();
  return {static_cast<std::uint64_t>(at), names.begin()[at]};
}

std::pair<std::uint64_t, std::string> node_range_of(const BenchmarkPoint& point) {
  if (!point.nodes) {
    return {};
  }
  return range_of(*point.nodes, {16, 64, 256}, {"1-16", "17-64", "65-256", "> 256"});
}

std::pair<std::uint64_t, std::string> per_node_of(const BenchmarkPoint& point) {
  std::optional<double> ranks = point.ranks_per_node;
  if (!ranks && point.nodes) {
    ranks = static_cast<double>(point.ranks) / *point.nodes;
  }
  if (!ranks) {
    return {};
  }
  return *ranks == 1 ? std::pair<std::uint64_t, std::string>{0, "1"}
                     : std::pair<std::uint64_t, std::string>{1, "several"};
}

std::pair<std::uint64_t, std::string> job_group_of(const BenchmarkPoint& point) {
  if (point.job.empty()) {
    return {};
  }
  return {0, point.full_job()};
}

}  // namespace

bool takes_part(const ScoreSelection& selection, const BenchmarkPoint& point) {
  return !selection.without.contains(point.cell) &&
         point.cell.find(selection.only) != std::string::npos &&
         point.ranks <= selection.largest_ranks;
}

ScoreCells score_cells(const std::vector<BenchmarkPoint>& points, const ScoreSelection& selection) {
  std::vector<ScoreCell> cells;
  std::map<std::string_view, std::size_t> places;
  std::map<std::string_view, double> defaults;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const BenchmarkPoint& point = points[i];
    if (point.algorithm == nullptr) {
      defaults[point.cell] = point.measured_s;
    } else if (takes_part(selection, point)) {
      const auto [place, is_new] = places.try_emplace(point.cell, cells.size());
      if (is_new) {
        cells.push_back({point.cell, {}, {}});
      }
      cells[place->second].points.push_back(i);
    }
  }
  for (ScoreCell& cell : cells) {
    if (const auto found = defaults.find(cell.name); found != defaults.end()) {
      cell.default_s = found->second;
    }
  }
  const auto has_choice = [&points](const ScoreCell& cell) {
    return points[cell.points.front()].choices.value_or(
               static_cast<std::uint32_t>(cell.points.size())) > 1;
  };
  ScoreCells found;
  found.choices = std::any_of(cells.begin(), cells.end(), has_choice);
  for (ScoreCell& cell : cells) {
    if (!found.choices || has_choice(cell)) {
      found.cells.push_back(std::move(cell));
    } else {
      found.alone.insert(found.alone.end(), cell.points.begin(), cell.points.end());
    }
  }
  return found;
}

std::optional<Score> score(const std::vector<BenchmarkPoint>& points, const ScoreCells& cells,
                           const std::vector<std::optional<double>>& predicted_s,
                           const std::function<bool(const BenchmarkPoint&)>& keep,
                           const SurePoints* sure) {
  Score all;
  std::vector<double> errors;
  std::vector<double> losses;
  std::vector<double> defaults;
  double in_range = 0;
  double sure_cells = 0;
  double sure_near = 0;
  for (const ScoreCell& cell : cells.cells) {
    if (!keep(points[cell.points.front()])) {
      continue;
    }
    if (std::any_of(cell.points.begin(), cell.points.end(),
                    [&](std::size_t i) { return !predicted_s[i]; })) {
      ++all.missing;
      continue;
    }
    for (const std::size_t i : cell.points) {
      errors.push_back(std::log(std::max(*predicted_s[i], kShort) / points[i].measured_s));
      if (sure != nullptr && sure->ranges[i] && sure->ranges[i]->holds(points[i].measured_s)) {
        in_range += 1;
      }
    }
    const CellScore one = score_cell(points, cell, predicted_s, sure);
    sure_cells += one.share_sure;
    sure_near += one.share_sure_near;
    ++all.cells;
    all.best += one.share_best;
    all.near += one.share_near;
    losses.push_back(one.loss);
    if (cell.default_s) {
      defaults.push_back(*cell.default_s / one.fastest_s);
    }
  }
  if (all.cells == 0) {
    return all.missing > 0 ? std::optional(all) : std::nullopt;
  }
  all.points = errors.size();
  all.bias = std::exp(median(errors));
  for (double& error : errors) {
    error = std::fabs(error);
  }
  all.in_25 = share_up_to(errors, std::log(1.25));
  all.in_2x = share_up_to(errors, std::log(2));
  all.error = std::exp(median(std::move(errors))) - 1;
  all.best /= static_cast<double>(all.cells);
  all.near /= static_cast<double>(all.cells);
  all.worst = *std::max_element(losses.begin(), losses.end());
  all.loss = geometric_mean(losses);
  if (sure != nullptr) {
    all.in_range = in_range / static_cast<double>(all.points);
    all.sure = sure_cells / static_cast<double>(all.cells);
    if (sure_cells > 0) {
      all.sure_near = sure_near / sure_cells;
    }
  }
  if (!defaults.empty()) {
    all.loss_default = geometric_mean(defaults);
  }
  return all;
}

const std::vector<ScoreGroup>& score_groups() {
  static const std::vector<ScoreGroup> groups{
      {"machine", "machine",
       [](const BenchmarkPoint& point) {
         return std::pair{0UL, point.machine};
       }},
      {"collective", "collective",
       [](const BenchmarkPoint& point) {
         return std::pair{static_cast<std::uint64_t>(point.collective),
                          std::string(name(point.collective))};
       }},
      {"bytes", "bytes",
       [](const BenchmarkPoint& point) {
         return range_of(point.bytes, {4096, 262144}, {"<= 4 KiB", "<= 256 KiB", "> 256 KiB"});
       }},
      {"nodes", "nodes", node_range_of},
      {"per-node", "ranks per node", per_node_of},
      {"job", "job", job_group_of, false},
      {"ranks", "ranks",
       [](const BenchmarkPoint& point) {
         return std::pair{static_cast<std::uint64_t>(point.ranks), std::to_string(point.ranks)};
       },
       false}};
  return groups;
}

std::vector<ScoreLine> score_lines(const std::vector<BenchmarkPoint>& points,
                                   const ScoreCells& cells,
                                   const std::vector<std::optional<double>>& predicted_s,
                                   const std::vector<const ScoreGroup*>& groups,
                                   const SurePoints* sure) {
  std::vector<ScoreLine> lines;
  lines.push_back(
      {"", "",
       score(
           points, cells, predicted_s, [](const BenchmarkPoint&) { return true; }, sure)});
  for (const ScoreGroup* group : groups) {
    std::set<std::pair<std::uint64_t, std::string>> values;
    for (const ScoreCell& cell : cells.cells) {
      values.insert(group->value(points[cell.points.front()]));
    }
    for (const auto& value : values) {
      if (!value.second.empty()) {
        lines.push_back(
            {std::string(group->name), value.second,
             score(
                 points, cells, predicted_s,
                 [&](const BenchmarkPoint& point) { return group->value(point) == value; }, sure)});
      }
    }
  }
  return lines;
}

}}  // namespace tutti::experiments
