#include "tutti/comparison.hpp"

#include <algorithm>
#include <ostream>
#include <thread>

#include "base/field_names.hpp"
#include "src/experiments/compare/comparison.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/public_api/inside.hpp"

namespace tutti::v1 {

InnerGrid inner(const Grid& grid) {
  InnerGrid inside;
  inside.collective = static_cast<tutti::Collective>(grid.collective);
  inside.machine = inner(grid.machine);
  inside.jobs = grid.jobs != 0 ? grid.jobs : std::max(1U, std::thread::hardware_concurrency());
  ProblemRequest& problems = inside.problems;
  problems.ranks = grid.ranks;
  problems.bytes = grid.bytes;
  std::ranges::sort(problems.ranks);
  std::ranges::sort(problems.bytes);
  if (problems.ranks.empty() || problems.ranks.front() == 0) {
    throw UserError("Grid::ranks: must contain at least one number, and each must be at least 1");
  }
  if (problems.bytes.empty()) {
    throw UserError("Grid::bytes: must contain at least one size");
  }
  if (inside.collective == tutti::Collective::barrier && problems.bytes.back() != 0) {
    throw UserError("Grid::bytes: a barrier moves no data, so the list must be {0}");
  }
  problems.each.element_bytes = grid.element_bytes;
  problems.each.ranks_per_host = grid.machine.ranks_per_host;
  problems.each.root = has_root(inside.collective) ? std::optional(grid.root) : std::nullopt;
  for (const auto& [option, text] : grid.options) {
    const OptionType& type = option_named(option);
    problems.each.options.parse(type, option, text, inside.collective);
    problems.given_options.push_back({type.option, field_of(type.flag()), text});
  }
  return inside;
}

std::vector<Timed> compare(const Grid& grid) {
  return guarded([&] {
    InnerGrid inside = inner(grid);
    Comparison comparison = prepare_comparison(
        {inside.collective, algorithms_to_compare(inside.collective, inside.machine),
         std::move(inside.problems), inside.machine});
    KeptMessages unread;
    run(comparison, *local_runner(comparison.machines.front(), inside.jobs, unread));
    std::vector<Timed> all;
    for (const CaseRun& run : comparison.runs) {
      const RunResult* const result = run.outcome.result();
      const RangedTime time = result != nullptr ? result->time() : RangedTime();
      all.push_back({run.algorithm->full_name(), run.problem.ranks, run.problem.bytes,
                     result != nullptr ? std::optional(time.seconds) : std::nullopt,
                     with_fields(run.outcome.why_not(), tutti::FieldNames::arguments),
                     time.least_s(), time.most_s()});
    }
    if (std::ranges::none_of(all, [](const Timed& each) { return each.seconds.has_value(); })) {
      throw UserError(all.front().refusal);
    }
    return all;
  });
}

}  // namespace tutti::v1
