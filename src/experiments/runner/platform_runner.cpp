#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "base/parallel.hpp"
#include "base/stopwatch.hpp"
#include "src/experiments/runner/runner.hpp"
#include "src/formats/progress.hpp"
#include "src/simulation/outcome_json.hpp"
#include "src/simulation/simgrid_run.hpp"

namespace tutti::inline experiments {

namespace {

class PlatformRunner final : public Runner {
 public:
  PlatformRunner(std::size_t jobs, std::ostream& err) : Runner(err), jobs_(jobs) {}

 private:
  // Properties of a machine that a process loads once, in addition to the platform: the element
  // size in bytes and, if costs were measured, the number of ranks and the placement seed, which
  // determine which ranks are on each node.
  using Loaded = std::tuple<std::uint32_t, std::uint32_t, std::optional<std::uint32_t>>;
  static Loaded loaded_for(const Machine& machine) {
    if (!machine.setup.curves) {
      return {machine.element_bytes, 0, {}};
    }
    return {machine.element_bytes, machine.mapping.ranks, machine.spec.placement_seed};
  }

  void run_open(std::vector<CaseRun>& runs, const std::string& doing) override {
    std::map<Loaded, std::vector<std::size_t>> groups;
    std::size_t all = 0;
    for (const std::size_t i : largest_first(runs)) {
      groups[loaded_for(*runs[i].machine)].push_back(i);
      ++all;
    }
    WorkEstimate estimate;
    for (const auto& [loaded, order] : groups) {
      for (const std::size_t i : order) {
        estimate.add(i, runs[i]);
      }
    }
    Progress progress = new_progress(doing, all, Progress::Elsewhere::nothing);
    std::size_t over = 0;
    for (const auto& [loaded, order] : groups) {
      run_alike(runs, order, estimate, [&](std::size_t done) {
        note_done(over + done);
        if (progress.due()) {
          progress.show(over + done, estimate.done());
        }
      });
      over += order.size();
    }
  }

  void run_alike(std::vector<CaseRun>& runs, const std::vector<std::size_t>& order,
                 WorkEstimate& estimate, const std::function<void(std::size_t)>& progress) const {
    // A platform file is the same for all cases. A crossbar may have only as many hosts as a case
    // needs; the crossbar of the case with the most ranks is large enough for all cases.
    const std::size_t largest =
        *std::max_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
          return runs[a].problem.ranks < runs[b].problem.ranks;
        });
    // Start the processes on this thread, because they end with the thread that started them.
    std::vector<std::unique_ptr<SimGridRuns>> processes;
    while (processes.size() < std::min(jobs_, order.size())) {
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
    run_parallel(
        order, processes.size(),
        [&](std::size_t worker, std::size_t i) {
          const Stopwatch watch;
          estimate.begin(i);
          runs[i].outcome = outcome_of(
              [&] { return outcome_of_line(runs[i], processes[worker]->run(std::to_string(i))); });
          estimate.end(i, seconds_if_run(runs[i].outcome, watch.seconds()));
        },
        progress);
  }

  std::size_t jobs_;
};

}  // namespace

std::unique_ptr<Runner> platform_runner(std::size_t jobs, std::ostream& err) {
  return std::make_unique<PlatformRunner>(jobs, err);
}

}  // namespace tutti::inline experiments
