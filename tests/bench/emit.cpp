// Measures how fast schedules are built, and how much memory they take.
#include <benchmark/benchmark.h>

#include "schedules/registry.hpp"

using namespace tutti;

namespace {

void emit(benchmark::State& state, const char* name, Detail detail) {
  const Algorithm& algorithm = algorithm_named(name);
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = static_cast<std::uint32_t>(state.range(0));
  problem.bytes = std::uint64_t{8} * problem.ranks * 16;
  double ops = 0;
  double bytes = 0;
  for (auto _ : state) {
    const Schedule schedule = make_schedule(algorithm, problem, detail);
    ops = schedule.size();
    bytes = static_cast<double>(schedule.memory_bytes());
    benchmark::DoNotOptimize(schedule.ops().data());
  }
  state.counters["ops"] = ops;
  state.counters["bytes_per_op"] = bytes / ops;
  state.counters["ops/s"] = benchmark::Counter(ops, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

// A run of tutti builds one schedule, in memory that the process has not used before. ring_cold
// measures this case: it builds only one schedule. Run it alone, with --benchmark_filter=ring_cold.
BENCHMARK_CAPTURE(emit, ring_cold, "allreduce/ring", Detail::payload)
    ->Arg(1024)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emit, ring, "allreduce/ring", Detail::payload)
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emit, ring_times_only, "allreduce/ring", Detail::times_only)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emit, recursive_doubling, "allreduce/recursive_doubling", Detail::payload)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
