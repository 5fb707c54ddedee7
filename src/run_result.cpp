#include "src/run_result.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "sim/critical_path/critical_path_engine.hpp"
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

Simulation run(RunResult result, Schedule schedule) {
  take_facts(result, schedule);

  Timeline timeline;
  std::uint64_t child_peak_rss_bytes = 0;
  if (result.machine.engine == EngineKind::simgrid) {
    EngineRun run = run_with_simgrid(schedule, result.machine);
    timeline = std::move(run.timeline);
    result.described = std::move(run.machine);
    result.load_wall_s = run.load_s;
    result.simulate_wall_s = run.simulate_s;
    child_peak_rss_bytes = run.peak_rss_bytes;
    result.longest_path_s =
        CriticalPathEngine(result.described.prices).run(schedule, result.machine.setup).total_s;
  } else {
    const Stopwatch load_watch;
    result.described = describe(result.machine);
    result.load_wall_s = load_watch.seconds();
    const Stopwatch simulate_watch;
    timeline = CriticalPathEngine(result.described.prices).run(schedule, result.machine.setup);
    result.simulate_wall_s = simulate_watch.seconds();
    result.longest_path_s = timeline.total_s;
  }
  const Prices& prices = result.described.prices;
  result.simulated_s = timeline.total_s;
  if (result.algorithm->exact_s != nullptr) {
    result.exact_s = result.algorithm->exact_s(result.problem, prices);
  }
  if (result.file.empty()) {
    result.published = published_costs(*result.algorithm, result.problem, prices);
  }
  result.bounds = lower_bounds(result.problem, prices);
  result.chain = critical_chain(schedule, timeline, prices);
  result.peak_rss_bytes = std::max(own_peak_rss_bytes(), child_peak_rss_bytes);
  return {std::move(schedule), std::move(timeline), std::move(result)};
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
  return run(std::move(result), std::move(schedule));
}

Simulation simulate_file(const std::string& file, const Algorithm& algorithm, Schedule schedule,
                         const Machine& machine, double read_wall_s) {
  RunResult result;
  result.algorithm = &algorithm;
  result.problem = schedule.problem();
  result.file = file;
  result.machine = machine;
  result.emit_wall_s = read_wall_s;
  return run(std::move(result), std::move(schedule));
}

}  // namespace tutti
