// Measures how fast a compiled program of the notation is evaluated, that is, turned into a
// schedule.
#include <benchmark/benchmark.h>

#include <string>

#include "base/file_text.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/registry.hpp"
#include "tests/source_dir.hpp"

using namespace tutti;

namespace {

Problem problem_of(Collective collective, std::int64_t ranks) {
  Problem problem;
  problem.collective = collective;
  problem.ranks = static_cast<std::uint32_t>(ranks);
  problem.bytes = std::uint64_t{8} * problem.ranks * 16;
  problem.segment_bytes = 64;
  return problem;
}

template <typename Make>
void count_ops(benchmark::State& state, const Make& make) {
  double ops = 0;
  for (auto _ : state) {
    const Schedule schedule = make();
    ops = schedule.size();
    benchmark::DoNotOptimize(schedule.ops().data());
  }
  state.counters["ops"] = ops;
  state.counters["ops/s"] = benchmark::Counter(ops, benchmark::Counter::kIsIterationInvariantRate);
}

void evaluate(benchmark::State& state, const std::string& name, Detail detail) {
  const std::string path = source_dir() + "/examples/schedules/" + name + ".sched";
  const Program program(read_file(path, kScheduleFile), path);
  const Problem problem = problem_of(program.collective(), state.range(0));
  count_ops(state, [&] { return program.schedule(problem, detail); });
}

// Builds a schedule with a built-in algorithm, for comparison with a program of this algorithm.
void emit(benchmark::State& state, const char* name) {
  const Algorithm& algorithm = algorithm_named(name);
  Problem problem = problem_of(algorithm.collective, state.range(0));
  problem.fold = Fold::far;
  count_ops(state, [&] { return make_schedule(algorithm, problem); });
}

}  // namespace

BENCHMARK_CAPTURE(evaluate, recursive_doubling, "recursive_doubling_allreduce", Detail::payload)
    ->Arg(65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emit, recursive_doubling, "allreduce/recursive_doubling")
    ->Arg(65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, circulant, "circulant_allreduce", Detail::payload)
    ->Arg(65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, circulant_times, "circulant_allreduce", Detail::times_only)
    ->Arg(65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emit, circulant, "allreduce/circulant")
    ->Arg(65536)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, basic_linear, "basic_linear", Detail::payload)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emit, basic_linear, "alltoall/linear")->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, pipeline, "pipeline", Detail::payload)
    ->Arg(256)
    ->Unit(benchmark::kMillisecond);
