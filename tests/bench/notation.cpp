// Measures how fast schedules are printed in the notation and read back.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "schedules/notation/parse.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"

using namespace tutti;

namespace {

Schedule schedule_of(const char* name, std::int64_t ranks) {
  const Algorithm& algorithm = algorithm_named(name);
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = static_cast<std::uint32_t>(ranks);
  problem.bytes = std::uint64_t{8} * problem.ranks * 16;
  return make_schedule(algorithm, problem);
}

// A file with a printed schedule; the destructor removes it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const Schedule& schedule)
      : path_(std::filesystem::temp_directory_path() /
              ("tutti_bench_" + std::to_string(getpid()) + ".tutti")) {
    std::ofstream out(path_);
    print_notation(schedule, "bench", out);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void report(benchmark::State& state, double ops) {
  state.counters["ops"] = ops;
  state.counters["ops/s"] = benchmark::Counter(ops, benchmark::Counter::kIsIterationInvariantRate);
}

// Reads a schedule from a file that is in the system's cache.
void read_file(benchmark::State& state, const char* name) {
  double ops = 0;
  const TemporaryFile file(schedule_of(name, state.range(0)));
  for (auto _ : state) {
    const ParsedSchedule parsed = read_notation(file.path());
    ops = parsed.schedule.size();
    benchmark::DoNotOptimize(parsed.schedule.ops().data());
  }
  report(state, ops);
}

void print_file(benchmark::State& state, const char* name) {
  const Schedule schedule = schedule_of(name, state.range(0));
  for (auto _ : state) {
    std::ofstream out("/dev/null");
    print_notation(schedule, "bench", out);
  }
  report(state, schedule.size());
}

}  // namespace

// The ring on 840 ranks has two million operations. The schedule, its text, and the memory that the
// reader needs take about 0.5 GB. To measure this, run the benchmark alone under /usr/bin/time -v.
BENCHMARK_CAPTURE(read_file, ring, "allreduce/ring")
    ->Arg(256)
    ->Arg(840)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, recursive_doubling, "allreduce/recursive_doubling")
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, alltoall_linear, "alltoall/linear")
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(print_file, ring, "allreduce/ring")->Arg(840)->Unit(benchmark::kMillisecond);
