// Measures the time to find the lower bounds of a collective on a machine, from the network on. The
// goals: well under 1 ms on a crossbar of 512 hosts, since each simulation also finds its bound;
// 0.2 s with a million hosts; 2 s with 1,024 hosts on any kept platform.
#include <benchmark/benchmark.h>

#include <string>

#include "platforms/cluster_file.hpp"
#include "schedules/collective.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/machine_bound.hpp"
#include "tests/source_dir.hpp"

using namespace tutti;

namespace {

void bound(benchmark::State& state, const char* platform, Collective collective) {
  OpenedMachine opened;
  if (*platform != '\0') {
    opened.spec.source.file = source_dir() + "/platforms/" + platform;
    open_platform(opened.spec, opened.files);
  }
  Problem problem;
  problem.collective = collective;
  problem.ranks = static_cast<std::uint32_t>(state.range(0));
  problem.bytes = std::uint64_t{8} * problem.ranks;
  const Machine machine = opened.machine(problem.ranks, 1, problem.element_bytes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bounds_of(machine).bounds.of(problem).seconds());
  }
}

}  // namespace

BENCHMARK_CAPTURE(bound, crossbar_allreduce, "", Collective::allreduce)
    ->Arg(512)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bound, crossbar_alltoall, "", Collective::alltoall)
    ->Arg(512)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bound, fat_tree_allreduce, "infiniband_hdr_1024_thin.xml", Collective::allreduce)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bound, fat_tree_alltoall, "infiniband_hdr_1024_thin.xml", Collective::alltoall)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bound, slingshot_alltoall, "slingshot_1024.xml", Collective::alltoall)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bound, torus_alltoall, "torus_512.xml", Collective::alltoall)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
