#include <algorithm>

#include "base/parallel.hpp"
#include "simulation/outcome_json.hpp"
#include "simulation/simgrid_run.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/progress.hpp"

namespace tutti {

namespace {

class PlatformRunner final : public Runner {
 public:
  PlatformRunner(std::size_t jobs, std::ostream& err) : Runner(err), jobs_(jobs) {}

 private:
  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override {
    const std::vector<std::size_t> order = largest_first(runs);
    if (order.empty()) {
      return;
    }
    // A crossbar of the most hosts serves all.
    const Machine& largest =
        *runs[*std::max_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
           return runs[a].problem.ranks < runs[b].problem.ranks;
         })].machine;
    // On this thread: the processes end with the thread that made them.
    std::vector<std::unique_ptr<SimGridRuns>> processes;
    while (processes.size() < std::min(jobs_, order.size())) {
      processes.push_back(std::make_unique<SimGridRuns>(largest, [&runs](const std::string& which,
                                                                         const RunEngine& engine) {
        const Case& what = runs[std::stoul(which)];
        return outcome_line(outcome_of([&] {
          return simulate(*what.algorithm, what.problem, *what.machine, Detail::times_only, engine)
              .result;
        }));
      }));
    }
    Progress progress(doing, "run", order.size(), err());
    run_parallel(
        order, processes.size(),
        [&](std::size_t worker, std::size_t i) {
          runs[i].outcome = outcome_of(
              [&] { return outcome_of_line(runs[i], processes[worker]->run(std::to_string(i))); });
        },
        [&](std::size_t done) { progress.show(done); });
  }

  std::size_t jobs_;
};

}  // namespace

std::unique_ptr<Runner> platform_runner(std::size_t jobs, std::ostream& err) {
  return std::make_unique<PlatformRunner>(jobs, err);
}

}  // namespace tutti
