#include "tutti/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <thread>

#include "schedules/options/option_type.hpp"
#include "schedules/registry.hpp"
#include "src/experiments/comparison.hpp"
#include "src/experiments/runner/runner.hpp"
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
    if (type->word == option) {
      return *type;
    }
  }
  throw UserError(fmt::format("no algorithm takes an option '{}'", option));
}

}  // namespace

InnerGrid inner(const Grid& grid) {
  InnerGrid inside;
  ProblemRequest& problems = inside.problems;
  problems.ranks = sorted(grid.ranks);
  problems.bytes = sorted(grid.bytes);
  if (problems.ranks.empty() || problems.ranks.front() == 0) {
    throw UserError("Grid::ranks: accepted is at least one number from 1 on");
  }
  if (problems.bytes.empty()) {
    throw UserError("Grid::bytes: accepted is at least one size");
  }
  const auto collective = static_cast<tutti::Collective>(grid.collective);
  if (collective == tutti::Collective::barrier && problems.bytes != std::vector<std::uint64_t>{0}) {
    throw UserError("Grid::bytes: a barrier moves no data; accepted is {0}");
  }
  problems.each.element_bytes = grid.element_bytes;
  problems.each.ranks_per_host = grid.machine.ranks_per_host;
  if (has_root(collective)) {
    problems.each.root = grid.root;
  }
  for (const auto& [option, text] : grid.options) {
    const OptionType& type = option_named(option);
    if (std::ranges::none_of(tutti::algorithms(), [&](const tutti::Algorithm* each) {
          return each->collective == collective && takes(*each, type.option);
        })) {
      throw UserError(
          fmt::format("no algorithm of {} takes an option '{}'", tutti::name(collective), option));
    }
    problems.each.options.parse(type, option, text, collective);
  }
  inside.machine = inner(grid.machine);
  inside.jobs = grid.jobs != 0 ? grid.jobs : std::max(1U, std::thread::hardware_concurrency());
  return inside;
}

std::vector<Timed> compare(const Grid& grid) {
  return guarded([&] {
    InnerGrid inside = inner(grid);
    const auto collective = static_cast<tutti::Collective>(grid.collective);
    Comparison comparison =
        prepare_comparison({collective, algorithms_to_compare(collective, inside.machine),
                            std::move(inside.problems), inside.machine});
    std::ostream nobody(nullptr);
    run(comparison, *local_runner(comparison.machines.front(), inside.jobs, nobody));
    std::vector<Timed> all;
    for (const CaseRun& run : comparison.runs) {
      const RunResult* const result = run.outcome.result();
      const auto time = result != nullptr ? std::optional(result->time()) : std::nullopt;
      all.push_back({run.algorithm->full_name(), run.problem.ranks, run.problem.bytes,
                     time ? std::optional(time->seconds) : std::nullopt, run.outcome.why_not(),
                     time ? time->least_s() : 0, time ? time->most_s() : 0});
    }
    if (std::ranges::none_of(all, [](const Timed& each) { return each.seconds.has_value(); })) {
      throw UserError(all.front().refusal);
    }
    return all;
  });
}

}  // namespace tutti::v1
