#include "tutti/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <thread>

#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "simulation/switch_places.hpp"
#include "src/experiments/comparison.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/experiments/tie_runs.hpp"
#include "src/library/grid.hpp"
#include "src/library/inside.hpp"

namespace tutti::v1 {

namespace {

template <typename Number>
std::vector<Number> sorted(std::vector<Number> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

const OptionType& option_named(const std::string& option) {
  for (const OptionType* type : option_types()) {
    if (type->flag.substr(2) == option) {
      return *type;
    }
  }
  throw UserError(fmt::format("no algorithm takes an option '{}'", option));
}

}  // namespace

InnerGrid inner(const Grid& grid) {
  InnerGrid inside;
  inside.ranks = sorted(grid.ranks);
  inside.bytes = sorted(grid.bytes);
  if (inside.ranks.empty() || inside.ranks.front() == 0) {
    throw UserError("Grid::ranks: accepted is at least one number from 1 on");
  }
  if (inside.bytes.empty()) {
    throw UserError("Grid::bytes: accepted is at least one size");
  }
  const auto collective = static_cast<tutti::Collective>(grid.collective);
  if (collective == tutti::Collective::barrier && inside.bytes != std::vector<std::uint64_t>{0}) {
    throw UserError("Grid::bytes: a barrier moves no data; accepted is {0}");
  }
  inside.asked.element_bytes = grid.element_bytes;
  inside.asked.ranks_per_host = grid.machine.ranks_per_host;
  if (has_root(collective)) {
    inside.asked.root = grid.root;
  }
  for (const auto& [option, text] : grid.options) {
    const OptionType& type = option_named(option);
    const auto all = tutti::algorithms();
    if (std::none_of(all.begin(), all.end(), [&](const tutti::Algorithm* each) {
          return each->collective == collective && takes(*each, type.option);
        })) {
      throw UserError(
          fmt::format("no algorithm of {} takes an option '{}'", tutti::name(collective), option));
    }
    inside.asked.options.parse(type, option, text, collective);
  }
  const OpenedMachine machine = inner(grid.machine);
  for (const std::uint32_t ranks : inside.ranks) {
    inside.machines.push_back(
        machine.machine(ranks, grid.machine.ranks_per_host, grid.element_bytes));
  }
  inside.jobs = grid.jobs != 0 ? grid.jobs : std::max(1U, std::thread::hardware_concurrency());
  return inside;
}

std::vector<Timed> compare(const Grid& grid) {
  return guarded([&] {
    const InnerGrid inside = inner(grid);
    std::vector<CaseRun> runs;
    std::vector<std::size_t> cell_ends;
    for (std::size_t p = 0; p < inside.ranks.size(); ++p) {
      for (const std::uint64_t bytes : inside.bytes) {
        for (const tutti::Algorithm* algorithm : tutti::algorithms()) {
          if (algorithm->collective == static_cast<tutti::Collective>(grid.collective) &&
              (!algorithm->in_network() || runs_switches(inside.machines[p]))) {
            const Contender contender{algorithm, inside.asked.applicable_to(*algorithm),
                                      std::string(algorithm->name)};
            runs.push_back(first_look(contender, inside.ranks[p], bytes));
            runs.back().machine = &inside.machines[p];
          }
        }
        cell_ends.push_back(runs.size());
      }
    }
    std::ostream nobody(nullptr);
    const auto runner = local_runner(inside.machines.front(), inside.jobs, nobody);
    runner->run(runs, "");
    run_leaders_again(runs, cell_ends, *runner);
    std::vector<Timed> all;
    for (const CaseRun& run : runs) {
      const RunResult* const result = run.outcome.result();
      const auto time = result != nullptr ? std::optional(result->time()) : std::nullopt;
      all.push_back({run.algorithm->full_name(), run.problem.ranks, run.problem.bytes,
                     time ? std::optional(time->seconds) : std::nullopt, run.outcome.why_not(),
                     time ? time->least_s() : 0, time ? time->most_s() : 0});
    }
    if (std::none_of(all.begin(), all.end(),
                     [](const Timed& each) { return each.seconds.has_value(); })) {
      throw UserError(all.empty() ? std::string("no algorithm") : all.front().refusal);
    }
    return all;
  });
}

}  // namespace tutti::v1
