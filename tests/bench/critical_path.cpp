// Measures the speed of the critical-path engine on a schedule that is already built.
#include <benchmark/benchmark.h>

#include "schedules/registry.hpp"
#include "sim/critical_path/critical_path_engine.hpp"

using namespace tutti;

namespace {

void critical_path(benchmark::State& state, const char* name, std::uint32_t ports) {
  const Algorithm& algorithm = algorithm_named(name);
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = static_cast<std::uint32_t>(state.range(0));
  // The vector has 16 elements per rank, and one element more, so that the blocks have two sizes.
  problem.bytes = std::uint64_t{8} * problem.ranks * 16 + 8;
  const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
  CriticalPathEngine engine({1e-6, 1e-9, 1e-10, 0});
  for (auto _ : state) {
    const Timeline timeline = engine.run(schedule, {ports});
    benchmark::DoNotOptimize(timeline.total_s);
  }
  state.counters["ops/s"] =
      benchmark::Counter(schedule.size(), benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

BENCHMARK_CAPTURE(critical_path, ring, "allreduce/ring", 1U)
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(critical_path, ring_unlimited_ports, "allreduce/ring", kUnlimitedPorts)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(critical_path, recursive_doubling, "allreduce/recursive_doubling", 1U)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
