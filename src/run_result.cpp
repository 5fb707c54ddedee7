#include "src/run_result.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "sim/critical_path/critical_path_engine.hpp"
#include "src/flow_run.hpp"
#include "src/simgrid_run.hpp"

namespace tutti {

namespace {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

std::uint64_t own_peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void take_facts(RunResult& result, const Schedule& schedule) {
  result.ops = schedule.size();
  result.dependencies = schedule.dependencies();
  result.messages = schedule.messages();
  result.bytes_sent = schedule.bytes_sent();
  result.bytes_reduced = schedule.bytes_reduced();
  result.rounds = schedule.rounds();
  result.blocks = schedule.blocks();
  result.smallest_block_bytes = result.largest_block_bytes = schedule.layout().size_bytes(0);
  for (std::uint32_t block = 1; block < schedule.blocks(); ++block) {
    const std::uint64_t bytes = schedule.layout().size_bytes(block);
    result.smallest_block_bytes = std::min(result.smallest_block_bytes, bytes);
    result.largest_block_bytes = std::max(result.largest_block_bytes, bytes);
  }
}

}  // namespace

const PublishedCost* RunResult::main_published() const {
  for (const PublishedCost& cost : published) {
    if (!cost.misprint && cost.seconds) {
      return &cost;
    }
  }
  return nullptr;
}

std::optional<double> relative_error(double value, double reference) {
  if (reference == 0) {
    return value == 0 ? std::optional(0.0) : std::nullopt;
  }
  return (value - reference) / reference;
}

Simulation simulate(const Algorithm& algorithm, const Problem& problem, const Machine& machine,
                    Detail detail) {
  RunResult result;
  result.algorithm = &algorithm;
  result.problem = problem;
  result.machine = machine;

  const Stopwatch emit_watch;
  Schedule schedule = make_schedule(algorithm, problem, detail);
  result.emit_wall_s = emit_watch.seconds();
  take_facts(result, schedule);

  Timeline timeline;
  std::uint64_t child_peak_rss_bytes = 0;
  if (machine.engine != EngineKind::critical_path) {
    EngineRun run = machine.engine == EngineKind::flow
                        ? run_with_flow(schedule, machine)
                        : run_with_simgrid(schedule, machine, EngineKind::simgrid);
    if (machine.both_engines()) {
      result.comparison =
          compare_engines(run.timeline, run_with_simgrid(schedule, machine, EngineKind::simgrid));
    }
    timeline = std::move(run.timeline);
    result.described = std::move(run.machine);
    result.load_wall_s = run.load_s;
    result.simulate_wall_s = run.simulate_s;
    child_peak_rss_bytes = run.peak_rss_bytes;
    result.links = std::move(run.links);
    result.longest_path_s =
        run.undisturbed
            ? timeline.total_s
            : CriticalPathEngine(result.described.prices).run(schedule, machine.setup).total_s;
  } else {
    const Stopwatch load_watch;
    result.described = describe(machine);
    result.load_wall_s = load_watch.seconds();
    const Stopwatch simulate_watch;
    timeline = CriticalPathEngine(result.described.prices).run(schedule, machine.setup);
    result.simulate_wall_s = simulate_watch.seconds();
    result.longest_path_s = timeline.total_s;
  }
  const Prices& prices = result.described.prices;
  result.simulated_s = timeline.total_s;
  if (algorithm.exact_s != nullptr) {
    result.exact_s = algorithm.exact_s(problem, prices);
  }
  result.published = published_costs(algorithm, problem, prices);
  result.bounds = lower_bounds(problem, prices);
  result.chain = critical_chain(schedule, timeline, prices);
  result.peak_rss_bytes = std::max(own_peak_rss_bytes(), child_peak_rss_bytes);
  return {std::move(schedule), std::move(timeline), std::move(result)};
}

}  // namespace tutti
