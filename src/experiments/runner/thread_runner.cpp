#include <map>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/engine_run.hpp"
#include "src/simulation/schedule_cache.hpp"

namespace tutti::inline experiments {

namespace {

class ThreadRunner final : public Runner {
 public:
  ThreadRunner(std::size_t jobs, std::ostream& err) : Runner(err), jobs_(jobs) {}

 private:
  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override {
    const std::vector<std::size_t> order = largest_first(runs);
    ScheduleCache cache;
    // Announce a run to the cache only if it needs a whole schedule, because making a schedule
    // takes longer if the cache is to keep it.
    std::vector<ScheduleCache::Place*> places(runs.size());
    for (const std::size_t i : order) {
      const Case& what = runs[i];
      if (takes_whole_schedule(*what.algorithm, what.problem, *what.machine)) {
        places[i] = cache.expect(*what.algorithm, what.problem);
      }
      if (const auto [facts, is_new] = facts_.try_emplace(what.machine); is_new) {
        facts->second = describe(*what.machine);
      }
    }
    WorkEstimate estimate;
    for (const std::size_t i : order) {
      estimate.add(i, runs[i]);
    }
    Progress progress = new_progress(doing, order.size(), Progress::Elsewhere::nothing);
    run_parallel(
        order, jobs_,
        [&](std::size_t, std::size_t i) {
          CaseRun& run = runs[i];
          const Stopwatch watch;
          estimate.begin(i);
          run.outcome = outcome_of([&] {
            Machine machine = machine_of(run);
            machine.setup.give_up_s = run.give_up_s;
            RunResult result =
                simulate_times(*run.algorithm, run.problem, machine,
                               engine_of(machine, &facts_.at(run.machine)), cache, places[i]);
            result.chain.steps = {};
            return result;
          });
          cache.over(places[i]);
          estimate.end(i, seconds_if_run(run.outcome, watch.seconds()));
        },
        [&](std::size_t done) {
          note_done(done);
          if (progress.due()) {
            progress.show(done, estimate.done());
          }
        });
  }

  std::size_t jobs_;
  std::map<const Machine*, MachineFacts> facts_;
};

}  // namespace

std::unique_ptr<Runner> thread_runner(std::size_t jobs, std::ostream& err) {
  return std::make_unique<ThreadRunner>(jobs, err);
}

}  // namespace tutti::inline experiments
