// Compares the flow engine with SimGrid on random clusters of GPUs. TUTTI_TEST_SEED selects the
// first cluster.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstring>
#include <string>

#include "sim/isolated_process.hpp"
#include "tests/platforms/gpu_platforms.hpp"
#include "tests/sim/flow_platforms.hpp"
#include "tests/sim/judge/simgrid_judged.hpp"
#include "tests/sim/random_schedule.hpp"

namespace tutti::test_gpu_engines {

namespace {

constexpr std::uint32_t kMostGpus = 128;
constexpr std::uint32_t kCasesOfCluster = 10;
constexpr OpId kUsualOps = 5000;
constexpr double kMostInstants = 4;

struct Counts {
  std::uint32_t cases = 0;
  // Cases in which the engines are further apart than kJudgeTolerance, and in which rounding errors
  // explain it: the flow engine is as far from itself if the times of operations change by 1e-14,
  // or the judge says that rounding decides which events are simultaneous.
  std::uint32_t rounded = 0;
  // Such cases in which flow gets the times of the judge, and SimGrid either those of a judge with
  // SimGrid's known faults, or times that are a few instants from them (sim/simgrid/README.md).
  std::uint32_t simgrid_at_fault = 0;
  std::uint32_t wrong = 0;  // such cases that nothing explains
};

// Compares the engines on the cluster of `seed`, and returns descriptions of large differences.
std::string compare_on_cluster(std::uint64_t seed, const std::string& file, std::uint32_t gpus,
                               Counts& counts) {
  SimGridPlatform platform({.file = file, .crossbar = {}}, "hockney", {}, Updates::pointed_out);
  std::mt19937_64 random(seed);
  std::string text;
  for (; counts.cases < kCasesOfCluster; ++counts.cases) {
    const RandomCase made = random_case(random, gpus, kMostGpus, kUsualOps);
    const EngineTimes times = run_engines(platform, made);
    const double differ = times.simgrid ? apart(*times.simgrid, times.flow) : 1;
    if (differ > kJudgeTolerance) {
      const double rounding = apart_by_rounding(platform, made, times.flow);
      const JudgeComparison judged = judge_case(platform, made);
      const double total_s = judged.verdict.timeline.total_s;
      const double instants = judged.simgrid_apart() * total_s / (instant_end_s(total_s) - total_s);
      const bool at_fault = judged.flow_apart() <= kJudgeTolerance &&
                            (judged.simgrid_at_fault || instants <= kMostInstants);
      ++(differ <= rounding || judged.hangs_on_rounding() ? counts.rounded
         : at_fault                                       ? counts.simgrid_at_fault
                                                          : counts.wrong);
      text += fmt::format(
          "  TUTTI_TEST_SEED={}: engines differ by {:.2g}, flow by rounding {:.2g}, from the judge "
          "flow by {:.2g} and SimGrid by {:.2g}: {} {}\n",
          seed, differ, rounding, judged.flow_apart(), judged.simgrid_apart(), made.in_words(),
          times.simgrid_failure);
    }
  }
  return text;
}

void compare_on_clusters(std::uint64_t first_seed, std::uint32_t clusters) {
  Counts all;
  for (std::uint64_t seed = first_seed; seed < first_seed + clusters; ++seed) {
    gpu_platforms::Random random(static_cast<std::uint32_t>(seed));
    const GpuPlatform made = seed % 3 == 0 ? gpu_platforms::random_gpus(random, kMostGpus)
                                           : gpu_platforms::random_known_gpus(random, kMostGpus);
    const PlatformFile file(fmt::format("gpus_{}", seed), to_xml(made));
    const std::string bytes =
        run_in_child([&](ParentLink&) {
          Counts counts;
          const std::string text = compare_on_cluster(seed, file.path(), made.hosts(), counts);
          return std::string(reinterpret_cast<const char*>(&counts), sizeof counts) + text;
        }).bytes;
    Counts counts;
    std::memcpy(&counts, bytes.data(), sizeof counts);
    std::fputs(bytes.c_str() + sizeof counts, stdout);
    all.cases += counts.cases;
    all.rounded += counts.rounded;
    all.simgrid_at_fault += counts.simgrid_at_fault;
    all.wrong += counts.wrong;
  }
  std::printf(
      "%u cases on %u clusters from TUTTI_TEST_SEED=%llu: rounding errors separate the engines in "
      "%u, faults of SimGrid in %u, other reasons in %u\n",
      all.cases, clusters, static_cast<unsigned long long>(first_seed), all.rounded,
      all.simgrid_at_fault, all.wrong);
  CHECK(all.cases == clusters * kCasesOfCluster);
  CHECK(all.wrong == 0);
  CHECK((all.rounded + all.simgrid_at_fault) * 20 <= all.cases);  // about one case in a hundred
}

}  // namespace

TEST_CASE("flow and SimGrid agree on a sample of clusters of GPUs") {
  compare_on_clusters(test_seed(), 3);
}

TEST_CASE("flow and SimGrid agree on 30 clusters of GPUs", "[slow]") {
  compare_on_clusters(test_seed() + 3, 30);
}

}  // namespace tutti::test_gpu_engines
