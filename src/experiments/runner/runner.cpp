#include "src/experiments/runner/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/human.hpp"
#include "src/requests/command_line.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti::inline experiments {

void Runner::run(std::vector<CaseRun>& runs, const std::string& doing, Known known) {
  known_ = known;
  run_open(runs, doing);
  for (const CaseRun& run : runs) {
    if (const Failure* failure = run.outcome.failure(); failure != nullptr && lost_++ == 0) {
      first_lost_ = fmt::format("{} with -p {} -n {}: {}", run.algorithm->full_name(),
                                run.problem.ranks, run.problem.bytes, one_line(failure->why));
    }
  }
}

Progress Runner::new_progress(const std::string& doing, std::size_t cells,
                              Progress::Elsewhere elsewhere) {
  const bool search = known_ == Known::so_far;
  const std::optional<std::size_t> before = search ? std::optional(before_) : std::nullopt;
  before_ = search ? before_ + cells : 0;
  cells_ = cells;
  done_ = 0;
  return {doing, "cell", cells, err_, elsewhere, before};
}

void Runner::keeps_nothing(const std::string& advice) {
  when_interrupted_.emplace([this, advice] {
    return fmt::format(": {} of {} {} done; their results are not kept{}", human_count(done_),
                       counted(cells_, "cell"), done_ == 1 ? "was" : "were", advice);
  });
}

bool Runner::sum_up() {
  say_found();
  if (lost_ > 0) {
    err_ << fmt::format("tutti: {} failed; the first: {}\n", counted(lost_, "run"), first_lost_);
  }
  return lost_ > 0;
}

std::unique_ptr<Runner> local_runner(const Machine& machine, std::size_t jobs, std::ostream& err) {
  return runs_on_simgrid_platform(machine) ? platform_runner(jobs, err) : thread_runner(jobs, err);
}

double expected_work(const Case& what) {
  const Problem& problem = what.problem;
  const bool cuts = takes(*what.algorithm, Option::segment);
  const double segments =
      cuts && problem.segment_bytes > 0
          ? static_cast<double>(problem.bytes) / static_cast<double>(problem.segment_bytes)
          : 0;
  return static_cast<double>(problem.ranks) * (problem.ranks + segments);
}

std::vector<std::size_t> largest_first(const std::vector<CaseRun>& runs) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].outcome.open()) {
      order.push_back(i);
    }
  }
  // Cases of one algorithm with equal work are adjacent, because the schedule cache keeps few
  // schedules.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double work = expected_work(runs[a]);
    const double other = expected_work(runs[b]);
    return work != other ? work > other : runs[a].algorithm->name < runs[b].algorithm->name;
  });
  return order;
}

}  // namespace tutti::inline experiments
