#include "src/experiments/points/point_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/messages.hpp"
#include "base/printable.hpp"
#include "src/simulation/outcome.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Options that may name a different file for each point.
struct PatternOption {
  std::string_view field;
  std::optional<std::string> MachineOptions::*pattern;
};
constexpr std::array kPatternOptions{PatternOption{"$platform", &MachineOptions::platform},
                                     PatternOption{"$hosts", &MachineOptions::hosts},
                                     PatternOption{"$parameters", &MachineOptions::parameters}};

std::string value_of(std::string_view name, const BenchmarkPoint& point) {
  if (name == "machine") {
    return point.machine;
  }
  return name == "job" ? point.job : fmt::format("{}", point.ranks);
}

// Cases for one runner. A runner that uses processes accepts only cases with the same platform. A
// runner that uses threads, or a sweep, accepts any cases.
struct RunnerCases {
  std::vector<CaseRun> cases;
  std::vector<std::size_t> places;
};

}  // namespace

std::string fill_pattern(std::string_view option, const std::string& pattern,
                         const BenchmarkPoint& point) {
  std::string filled;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = pattern.find('{', at);
    const std::size_t close = pattern.find('}', open);
    filled += pattern.substr(at, open - at);
    if (open == std::string::npos || close == std::string::npos) {
      return open == std::string::npos ? filled : filled + pattern.substr(open);
    }
    const std::string name = pattern.substr(open + 1, close - open - 1);
    if (name != "machine" && name != "job" && name != "ranks") {
      throw UserError(fmt::format("{} '{}': the braces must contain machine, job or ranks", option,
                                  printable(pattern)));
    }
    const std::string value = value_of(name, point);
    if (value.empty()) {
      throw UserError(fmt::format(
          "{} '{}': '{}', line {}, does not state the {}; write the file's name in full", option,
          printable(pattern), printable(point.file), point.line, name));
    }
    filled += value;
    at = close + 1;
  }
  return filled;
}

const Machine& PointMachines::of(const BenchmarkPoint& point, const Problem& problem) {
  MachineOptions options = options_;
  Files files;
  for (const PatternOption& each : kPatternOptions) {
    std::optional<std::string>& path = options.*each.pattern;
    if (path) {
      path = fill_pattern(each.field, *path, point);
    }
    files.push_back(path.value_or(""));
  }
  auto at = machines_.find(files);
  if (at == machines_.end()) {
    at = machines_
             .emplace(std::move(files),
                      MachinesOfRanks{
                          options.open(messages_, parameters_ ? &*parameters_ : nullptr), {}})
             .first;
  }
  MachinesOfRanks& opened = at->second;
  // A file that names the host of each rank already says how many ranks share a host.
  const auto& hosts = opened.machine.spec.hosts;
  const bool by_rank = hosts && hosts->by_rank && !ranks_per_host_;
  const Ranks ranks{problem.ranks, by_rank ? 1 : point.ranks_per_host(ranks_per_host_),
                    problem.element_bytes, point.barrier};
  if (const auto known = opened.of_ranks.find(ranks); known != opened.of_ranks.end()) {
    return known->second;
  }
  Machine machine = opened.machine.machine(ranks.ranks, ranks.per_host, ranks.element_bytes);
  machine.spec.barrier = ranks.barrier;
  return opened.of_ranks.emplace(ranks, std::move(machine)).first->second;
}

PointRuns run_points(const std::vector<BenchmarkPoint>& points,
                     const std::vector<std::size_t>& places, PointMachines& machines,
                     std::optional<std::uint32_t> ranks_per_host, const SweepOptions& sweep,
                     std::size_t jobs, Messages& messages) {
  // Machines whose platforms are loaded by processes. The first entry, null, is for the cases that
  // run in threads or in a sweep.
  std::vector<const Machine*> loaded{nullptr};
  std::map<std::size_t, RunnerCases> groups;  // the key is an index into `loaded`
  for (const std::size_t i : places) {
    Problem problem = problem_of(points[i], ranks_per_host);
    const Machine& machine = machines.of(points[i], problem);
    std::size_t which = 0;
    if (runs_on_simgrid_platform(machine) && !sweep.hands_out()) {
      which = static_cast<std::size_t>(std::find(loaded.begin(), loaded.end(), &machine) -
                                       loaded.begin());
      loaded.resize(std::max(loaded.size(), which + 1), &machine);
    }
    RunnerCases& group = groups[which];
    group.cases.push_back({{points[i].algorithm, std::move(problem), &machine}, {}});
    group.cases.back().wanted = ResultFields::time;
    group.places.push_back(i);
  }
  PointRuns runs;
  runs.predicted_s.resize(points.size());
  runs.why_not.resize(points.size());
  for (auto& [which, group] : groups) {
    const auto runner = runner_for(sweep, Waves::one, *group.cases.front().machine, jobs, messages);
    runner->run(group.cases, "simulating");
    runs.lost = runner->sum_up() || runs.lost;
    for (std::size_t k = 0; k < group.cases.size(); ++k) {
      const Outcome& outcome = group.cases[k].outcome;
      if (const RunResult* const result = outcome.result()) {
        runs.predicted_s[group.places[k]] = result->simulated_s;
      } else {
        runs.why_not[group.places[k]] = outcome.why_not();
      }
    }
  }
  return runs;
}

}}  // namespace tutti::experiments
