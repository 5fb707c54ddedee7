// Measures the cost of an explanation: the time to simulate all ranks and explain the result,
// divided by the time to simulate them only. The goal is at most 3.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>

#include "base/stopwatch.hpp"
#include "platforms/cluster_file.hpp"
#include "schedules/registry.hpp"
#include "src/simulation/explain/explanation.hpp"
#include "tests/source_dir.hpp"

using namespace tutti;

namespace {

void explained(benchmark::State& state, const char* name) {
  const Algorithm& algorithm = algorithm_named(name);
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = static_cast<std::uint32_t>(state.range(0));
  problem.bytes = std::uint64_t{1} << 20U;
  Machine machine;
  machine.spec.source.file = source_dir() + "/platforms/infiniband_hdr_1024_thin.xml";
  open_platform(machine.spec, machine.files);
  machine.spec.symmetry = SymmetryUse::off;
  place_ranks(machine, problem.ranks, 1);
  choose_engine(machine);
  double plain_s = 0;
  double explained_s = 0;
  for (auto _ : state) {
    const Stopwatch plain;
    {
      const Simulation run = simulate(algorithm, problem, machine, Detail::times_only);
      benchmark::DoNotOptimize(run.timeline.total_s);
    }
    plain_s += plain.seconds();
    const Stopwatch with;
    {
      Machine watched = machine;
      watch_run(watched);
      Simulation run = simulate(algorithm, problem, watched, Detail::times_only);
      const Explanation explanation = explain(std::move(run));
      benchmark::DoNotOptimize(explanation.account.total_s);
    }
    explained_s += with.seconds();
  }
  state.counters["times_a_plain_run"] = explained_s / plain_s;
}

}  // namespace

BENCHMARK_CAPTURE(explained, ring, "allreduce/ring")->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explained, pairwise, "alltoall/pairwise")
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
