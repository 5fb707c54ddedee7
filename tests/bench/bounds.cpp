// Measures the time to find the lower bounds of a collective on a machine, from the network on. The
// goals: well under 1 ms on a crossbar of 512 hosts, since each simulation also finds its bound;
// 0.2 s with a million hosts; 2 s with 1,024 hosts on any kept platform; a time in proportion to
// the number of GPUs on clusters of GPUs, and well under 10 s for 16,384 of them.
#include <benchmark/benchmark.h>

#include <fstream>
#include <string>

#include "platforms/cluster_file.hpp"
#include "platforms/gpu_platform.hpp"
#include "schedules/collective.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/machine_bound.hpp"
#include "tests/scratch_folder.hpp"
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

// Units of 32 nodes with 8 GPUs each; half of their bandwidth leaves the unit.
void bound_of_gpus(benchmark::State& state, Collective collective) {
  GpuPlatform gpus;
  gpus.nodes = static_cast<std::uint32_t>(state.range(0)) / gpus.gpus;
  gpus.unit = 32;
  gpus.inner_bytes_per_s = 370e9;
  gpus.inner_s = 1e-6;
  gpus.memory_bytes_per_s = 1e12;
  gpus.pcie_bytes_per_s = 64e9;
  gpus.card_bytes_per_s = 50e9;
  gpus.card_s = 5e-7;
  gpus.switch_s = 1.3e-7;
  gpus.trunk_bytes_per_s = 800e9;
  gpus.speed_flops_per_s = 279e9;
  const ScratchFolder folder;
  OpenedMachine opened;
  opened.spec.source.file = folder.path / "gpus.xml";
  std::ofstream(opened.spec.source.file) << to_xml(gpus);
  open_platform(opened.spec, opened.files);
  Problem problem;
  problem.collective = collective;
  problem.ranks = gpus.hosts();
  problem.bytes = std::uint64_t{8} * problem.ranks;
  const Machine machine = opened.machine(problem.ranks, 1, problem.element_bytes);
  for (auto _ : state) {
    benchmark::DoNotOptimize(bounds_of(machine).bounds.of(problem).seconds());
  }
  state.counters["us per GPU"] =
      benchmark::Counter(1e-6 * problem.ranks, benchmark::Counter::kIsIterationInvariantRate |
                                                   benchmark::Counter::kInvert);
}

}  // namespace

BENCHMARK_CAPTURE(bound_of_gpus, allreduce, Collective::allreduce)
    ->Arg(1 << 10)
    ->Arg(1 << 14)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bound_of_gpus, alltoall, Collective::alltoall)
    ->Arg(1 << 10)
    ->Arg(1 << 14)
    ->Unit(benchmark::kMillisecond);
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
