#include "src/experiments/points/validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/median.hpp"
#include "schedules/notation/print.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr double kNearlyFastest = 0.05;
constexpr std::uint64_t kLargeBytes = 4096;

// Returns the rank of each value, 0 for the smallest. Equal values share the mean of their ranks.
std::vector<double> places(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> places(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i + 1;
    // Values that differ only by rounding errors count as equal.
    while (end < order.size() && values[order[end]] <= values[order[i]] * (1 + 1e-9)) {
      ++end;
    }
    for (std::size_t j = i; j < end; ++j) {
      places[order[j]] = static_cast<double>(i + end - 1) / 2;
    }
    i = end;
  }
  return places;
}

// Runs with equal simulated times. The simulator cannot tell them apart, and often they consist of
// the same operations under different algorithm names. Their measured time is the median
// over its runs.
struct EqualRuns {
  std::vector<std::size_t> runs;
  double measured_s = 0;
  double low_s = 0;
  double high_s = 0;
};

EqualRuns equal_runs(const std::vector<ValidatedRun>& runs, std::vector<std::size_t> indices) {
  const auto median_of = [&](double MeasuredRun::*field) {
    std::vector<double> values;
    values.reserve(indices.size());
    for (const std::size_t i : indices) {
      values.push_back(runs[i].measured->*field);
    }
    return median(std::move(values));
  };
  EqualRuns choice;
  choice.measured_s = median_of(&MeasuredRun::median_s);
  choice.low_s = median_of(&MeasuredRun::low_s);
  choice.high_s = median_of(&MeasuredRun::high_s);
  choice.runs = std::move(indices);
  return choice;
}

// Groups runs with equal simulated times. The groups are in ascending order of this time.
std::vector<EqualRuns> groups_of_equal_runs(const std::vector<ValidatedRun>& runs,
                                            std::vector<std::size_t> indices) {
  std::stable_sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
    return runs[a].simulated_s < runs[b].simulated_s;
  });
  std::vector<EqualRuns> choices;
  for (auto begin = indices.begin(); begin != indices.end();) {
    const auto end = std::find_if(begin, indices.end(), [&](std::size_t i) {
      return runs[i].simulated_s > runs[*begin].simulated_s * (1 + 1e-9);
    });
    choices.push_back(equal_runs(runs, {begin, end}));
    begin = end;
  }
  return choices;
}

ValidatedCell cell_of(const std::vector<ValidatedRun>& runs, std::vector<std::size_t> indices) {
  const auto by_time = [&](std::size_t a, std::size_t b) {
    return runs[a].measured->median_s < runs[b].measured->median_s;
  };
  const std::vector<EqualRuns> choices = groups_of_equal_runs(runs, indices);
  const EqualRuns& picked = choices.front();
  const EqualRuns& fastest = *std::min_element(
      choices.begin(), choices.end(),
      [](const EqualRuns& a, const EqualRuns& b) { return a.measured_s < b.measured_s; });
  ValidatedCell cell;
  cell.runs = std::move(indices);
  cell.picked = *std::min_element(picked.runs.begin(), picked.runs.end());
  cell.fastest = *std::min_element(fastest.runs.begin(), fastest.runs.end(), by_time);
  cell.loss = picked.measured_s / fastest.measured_s - 1;
  cell.right = cell.loss <= kNearlyFastest || picked.low_s <= fastest.high_s;
  return cell;
}

using RunKey = std::tuple<Collective, std::uint32_t, std::uint64_t, Rank>;

RunKey key_of(const ValidatedRun& run) {
  const Problem& problem = run.measured->problem;
  return {problem.collective, problem.ranks, problem.bytes, problem.root};
}

ValidationSummary summary_of(const Validation& validation, Collective collective,
                             std::uint32_t ranks) {
  ValidationSummary summary;
  summary.collective = collective;
  summary.ranks = ranks;
  const auto concerns = [&](const ValidatedRun& run) {
    return run.measured->problem.collective == collective && run.measured->problem.ranks == ranks;
  };
  std::vector<double> errors;
  std::vector<double> large;
  for (const ValidatedRun& run : validation.runs) {
    if (concerns(run)) {
      summary.oversubscribed |= run.measured->oversubscribed;
      errors.push_back(std::abs(run.error()));
      if (run.measured->problem.bytes >= kLargeBytes) {
        large.push_back(std::abs(run.error()));
      }
    }
  }
  summary.runs = errors.size();
  summary.runs_from_4k = large.size();
  summary.median_error = errors.empty() ? 0 : median(errors);
  summary.worst_error = *std::max_element(errors.begin(), errors.end());
  summary.median_error_from_4k = large.empty() ? 0 : median(large);
  std::vector<double> correlations;
  for (const ValidatedCell& cell : validation.cells) {
    if (cell.runs.size() < 2 || !concerns(validation.runs[cell.runs.front()])) {
      continue;
    }
    ++summary.cells;
    summary.right += cell.right ? 1 : 0;
    std::vector<double> simulated;
    std::vector<double> measured;
    for (const std::size_t i : cell.runs) {
      simulated.push_back(validation.runs[i].simulated_s);
      measured.push_back(validation.runs[i].measured->median_s);
    }
    if (const auto correlation = rank_correlation(simulated, measured)) {
      correlations.push_back(*correlation);
    }
  }
  if (!correlations.empty()) {
    summary.rank_correlation = std::accumulate(correlations.begin(), correlations.end(), 0.0) /
                               static_cast<double>(correlations.size());
  }
  return summary;
}

}  // namespace

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || a.size() != b.size()) {
    return std::nullopt;
  }
  const std::vector<double> x = places(a);
  const std::vector<double> y = places(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx == 0 || yy == 0 ? std::nullopt : std::optional(xy / std::sqrt(xx * yy));
}

std::vector<OpDifference> compare_operations(const Schedule& schedule, const Timeline& measured,
                                             const Timeline& simulated, std::size_t most) {
  // A message ends when its data have arrived. If the timeline has separate end times for
  // receivers, the receiver's end time is used.
  const auto end_s = [&](const Timeline& timeline, OpId id) {
    return schedule.op(id).is_comm() && !timeline.receive_end_s.empty() ? timeline.receive_end_s[id]
                                                                        : timeline.end_s[id];
  };
  const auto since_ready_s = [&](const Timeline& timeline, OpId id) {
    double ready_s = 0;
    for (const OpId before : schedule.predecessors(id)) {
      ready_s = std::max(ready_s, end_s(timeline, before));
    }
    return std::max(0.0, end_s(timeline, id) - ready_s);
  };
  std::vector<OpDifference> differences;
  for (OpId id = 0; id < schedule.size(); ++id) {
    differences.push_back({id, label_text(schedule.op(id)), since_ready_s(measured, id),
                           since_ready_s(simulated, id)});
  }
  const auto apart = [](const OpDifference& each) {
    return std::abs(each.measured_s - each.simulated_s);
  };
  std::stable_sort(
      differences.begin(), differences.end(),
      [&](const OpDifference& a, const OpDifference& b) { return apart(a) > apart(b); });
  differences.resize(std::min(most, differences.size()));
  return differences;
}

Validation validation_of(std::vector<ValidatedRun> runs) {
  Validation validation;
  validation.runs = std::move(runs);
  std::map<RunKey, std::vector<std::size_t>> cells;
  for (std::size_t i = 0; i < validation.runs.size(); ++i) {
    cells[key_of(validation.runs[i])].push_back(i);
  }
  std::vector<std::pair<Collective, std::uint32_t>> groups;
  for (auto& [key, indices] : cells) {
    validation.cells.push_back(cell_of(validation.runs, std::move(indices)));
    const std::pair group(std::get<0>(key), std::get<1>(key));
    if (groups.empty() || groups.back() != group) {
      groups.push_back(group);
    }
  }
  for (const auto& [collective, ranks] : groups) {
    validation.summaries.push_back(summary_of(validation, collective, ranks));
  }
  return validation;
}

}}  // namespace tutti::experiments
