#include "src/experiments/runner/runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <tuple>

#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/parallel.hpp"
#include "base/printable.hpp"
#include "base/stopwatch.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/outcome_json.hpp"
#include "src/simulation/schedule_cache.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the indices of the runs that have no outcome yet. Cases of one algorithm are adjacent,
// because the schedule cache keeps few schedules.
std::vector<std::size_t> open_runs(const std::vector<CaseRun>& runs) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].outcome.open()) {
      open.push_back(i);
    }
  }
  std::ranges::stable_sort(open, {}, [&](std::size_t i) { return runs[i].algorithm->name; });
  return open;
}

// Runs the cases `open`, those with the most expected work first, and tells `estimate` how long
// each takes. outcome(worker, i) must return the outcome of run i.
void run_each(std::vector<CaseRun>& runs, const std::vector<std::size_t>& open, std::size_t jobs,
              WorkEstimate& estimate, const std::function<void(std::size_t done)>& progress,
              const std::function<Outcome(std::size_t worker, std::size_t i)>& outcome) {
  const ParallelWork work{
      .jobs = jobs,
      .expected_work = [&](std::size_t k) { return expected_work(runs[open[k]]); },
      .progress = progress};
  for_each_parallel(open.size(), work, [&](std::size_t worker, std::size_t k) {
    CaseRun& run = runs[open[k]];
    const Stopwatch watch;
    estimate.begin(open[k]);
    run.outcome = outcome(worker, open[k]);
    estimate.end(open[k], seconds_if_run(run.outcome, watch.seconds()));
  });
}

// Runs up to `jobs` cases at a time, in threads of this process.
class ThreadRunner final : public Runner {
 public:
  ThreadRunner(std::size_t jobs, Messages& messages) : Runner(messages), jobs_(jobs) {}

 private:
  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override {
    const std::vector<std::size_t> open = open_runs(runs);
    ScheduleCache cache;
    // Announce a run to the cache only if it needs a whole schedule, because making a schedule
    // takes longer if the cache is to keep it.
    std::vector<ScheduleCache::Place*> places(runs.size());
    WorkEstimate estimate;
    // Facts are not kept for the next call, because the caller may then have other machines at the
    // same addresses.
    std::map<const Machine*, MachineFacts> known;
    for (const std::size_t i : open) {
      const Case& what = runs[i];
      estimate.add(i, what);
      if (takes_whole_schedule(*what.algorithm, what.problem, *what.machine)) {
        places[i] = cache.expect(*what.algorithm, what.problem);
      }
      if (const auto [facts, is_new] = known.try_emplace(what.machine); is_new) {
        facts->second = describe(*what.machine);
      }
    }
    Progress progress = new_progress(doing, open.size());
    const auto show = [&](std::size_t done) {
      note_done(done);
      if (progress.due()) {
        progress.show(done, estimate.done());
      }
    };
    run_each(runs, open, jobs_, estimate, show, [&](std::size_t, std::size_t i) {
      const CaseRun& run = runs[i];
      Outcome outcome = outcome_of([&] {
        Machine machine = machine_of(run);
        machine.setup.give_up_s = run.give_up_s;
        machine.setup.ties.known_total_s = run.known_total_s;
        machine.record.message_ends = run.wanted != ResultFields::time;
        RunResult result = simulate_times(*run.algorithm, run.problem, machine,
                                          engine_of(machine, &known.at(run.machine)), cache,
                                          places[i], Fingerprint::left_out, run.wanted);
        result.chain.steps = {};
        return result;
      });
      cache.finish(places[i]);
      return outcome;
    });
  }

  std::size_t jobs_;
};

// Runs up to `jobs` cases at a time. All cases must have the same platform. Each case runs in a
// process that has loaded this platform, or in a fork of that process.
class PlatformRunner final : public Runner {
 public:
  PlatformRunner(std::size_t jobs, Messages& messages) : Runner(messages), jobs_(jobs) {}

 private:
  // Properties of a machine that a process loads once, in addition to the platform: the element
  // size in bytes and, if costs were measured, the number of ranks and the placement seed, which
  // determine which ranks are on each node.
  using LoadKey = std::tuple<std::uint32_t, std::uint32_t, std::optional<std::uint32_t>>;
  static LoadKey loaded_for(const Machine& machine) {
    if (!machine.setup.curves) {
      return {machine.element_bytes, 0, {}};
    }
    return {machine.element_bytes, machine.mapping.ranks, machine.spec.placement_seed};
  }

  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override {
    const std::vector<std::size_t> open = open_runs(runs);
    std::map<LoadKey, std::vector<std::size_t>> groups;
    WorkEstimate estimate;
    for (const std::size_t i : open) {
      groups[loaded_for(*runs[i].machine)].push_back(i);
      estimate.add(i, runs[i]);
    }
    Progress progress = new_progress(doing, open.size());
    std::size_t over = 0;
    for (const auto& [loaded, group] : groups) {
      run_alike(runs, group, estimate, [&](std::size_t done) {
        note_done(over + done);
        if (progress.due()) {
          progress.show(over + done, estimate.done());
        }
      });
      over += group.size();
    }
  }

  void run_alike(std::vector<CaseRun>& runs, const std::vector<std::size_t>& open,
                 WorkEstimate& estimate, const std::function<void(std::size_t)>& progress) const {
    // A platform file is the same for all cases. A crossbar may have only as many hosts as a case
    // needs; the crossbar of the case with the most ranks is large enough for all cases.
    const std::size_t largest =
        *std::ranges::max_element(open, {}, [&](std::size_t i) { return runs[i].problem.ranks; });
    // Start the processes on this thread, because they end with the thread that started them.
    std::vector<std::unique_ptr<SimGridRuns>> processes;
    while (processes.size() < std::min(jobs_, open.size())) {
      processes.push_back(std::make_unique<SimGridRuns>(
          *runs[largest].machine, [&runs](const std::string& which, const RunEngine& engine) {
            const Case& what = runs[std::stoul(which)];
            return outcome_line(outcome_of([&] {
              return simulate(*what.algorithm, what.problem, machine_of(what), Detail::times_only,
                              engine)
                  .result;
            }));
          }));
    }
    run_each(
        runs, open, processes.size(), estimate, progress, [&](std::size_t worker, std::size_t i) {
          return outcome_of(
              [&] { return outcome_of_line(runs[i], processes[worker]->run(std::to_string(i))); });
        });
  }

  std::size_t jobs_;
};

}  // namespace

void Runner::run(std::vector<CaseRun>& runs, const std::string& doing, KnownCases known) {
  known_ = known;
  run_open(runs, doing);
  for (const CaseRun& run : runs) {
    if (const Failure* failure = run.outcome.failure(); failure != nullptr && lost_++ == 0) {
      first_lost_ = fmt::format("{} with $ranks={} $bytes={}: {}", run.algorithm->full_name(),
                                run.problem.ranks, run.problem.bytes, one_line(failure->why));
    }
  }
}

Progress Runner::new_progress(const std::string& doing, std::size_t cells) {
  const bool search = known_ == KnownCases::so_far;
  const std::optional<std::size_t> before = search ? std::optional(before_.load()) : std::nullopt;
  before_ = search ? before_ + cells : 0;
  cells_ = cells;
  done_ = 0;
  return {doing, "cell", cells, messages_, before};
}

void Runner::keeps_nothing(const std::string& advice) {
  when_interrupted_.emplace([this, advice] {
    const std::size_t before = before_;
    const bool search = before > 0;
    const std::size_t cells = search ? before : cells_.load();
    const std::size_t done = cells - cells_ + done_;
    return fmt::format(": {} of {}{} {} done; their results are not kept{}", human_count(done),
                       counted(cells, "cell"), search ? " known so far" : "",
                       done == 1 ? "was" : "were", advice);
  });
}

bool Runner::sum_up() {
  say_found();
  if (lost_ > 0) {
    messages_.error(fmt::format("{} failed; the first: {}", counted(lost_, "run"), first_lost_));
  }
  return lost_ > 0;
}

std::unique_ptr<Runner> local_runner(const Machine& machine, std::size_t jobs, Messages& messages) {
  if (runs_on_simgrid_platform(machine)) {
    return std::make_unique<PlatformRunner>(jobs, messages);
  }
  return std::make_unique<ThreadRunner>(jobs, messages);
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

}}  // namespace tutti::experiments
