// Checks that the flow engine computes bit-identical times in all its ways of solving for rates:
// repairing link by link, solving from scratch, and letting the engine choose between the two.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "platforms/simgrid/simgrid_network.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"
#include "schedules/registry.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/isolated_process.hpp"
#include "tests/sim/judge/random_case.hpp"
#include "tests/sim/judge/random_platform.hpp"
#include "tests/sim/random_schedule.hpp"
#include "tests/sim/simgrid_cells.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_simgrid_ways_of_solving {

namespace {

// Returns a description of the first operation whose times depend on the way of solving; "" if
// there is none.
std::string ways_differ(Network& network, FlowSetup flow_setup, const Schedule& schedule,
                        const RunSetup& setup) {
  const auto timeline = [&](Solving solving) {
    flow_setup.solving = solving;
    return FlowEngine(network, flow_setup).run(schedule, setup);
  };
  const Timeline anew = timeline(Solving::anew);
  for (const Solving solving : {Solving::fastest, Solving::repair}) {
    const std::string wrong = difference(timeline(solving), anew, 0);
    if (!wrong.empty()) {
      return fmt::format("solving {} differs from solving from scratch: {}",
                         solving == Solving::repair ? "by repair" : "in the fastest way", wrong);
    }
  }
  return {};
}

FlowSetup flow_setup_of(const SimGridNetwork& network, const RankHosts& hosts,
                        double copy_s_per_byte) {
  return {.host_of_rank = network.host_of_rank(),
          .flops_per_byte = hosts.flops_per_byte,
          .copy_s_per_byte = copy_s_per_byte};
}

struct KeptPlatform {
  const char* file;
  std::uint32_t ranks;
  std::uint32_t ranks_per_host;
};

// Runs the cases of the benchmark scripts/engine_contention, with few ranks. Returns the first
// difference, or "".
std::string kept_platform_differs(const KeptPlatform& kept) {
  return run_in_child([&](ParentLink&) {
           const std::string file = source_dir() + "/platforms/" + kept.file;
           SimGridPlatform platform({.file = file, .crossbar = {}}, "hockney");
           const RankHosts hosts =
               platform.place({.ranks = kept.ranks, .ranks_per_host = kept.ranks_per_host}, {}, 8);
           SimGridNetwork network(platform, hosts, "hockney");
           const FlowSetup flow_setup = flow_setup_of(network, hosts, 0);
           for (const char* name :
                {"alltoall/pairwise", "alltoall/linear", "alltoall/bruck",
                 "allreduce/recursive_doubling", "allreduce/rabenseifner", "allreduce/circulant"}) {
             const Algorithm& algorithm = algorithm_named(name);
             for (const std::uint64_t bytes : {64U * 1024U, 4096U * 1024U + 8U}) {
               Problem problem;
               problem.collective = algorithm.collective;
               problem.ranks = kept.ranks;
               problem.bytes = bytes;
               const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
               for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
                 const std::string wrong =
                     ways_differ(network, flow_setup, schedule, {.ports = ports});
                 if (!wrong.empty()) {
                   return fmt::format("{} -n {} --ports {}: {}", name, bytes, ports, wrong);
                 }
               }
             }
           }
           return std::string();
         })
      .bytes;
}

// Runs algorithms and random schedules on a random platform. Returns the first difference, or "".
std::string random_platform_differs(std::uint64_t seed, std::uint32_t cases) {
  const RandomPlatform rolled = PlatformDice(seed).roll();
  const PlatformFile file(fmt::format("ways_{}", seed), rolled.xml);
  const std::string model = seed % 4 == 0 ? "lv08" : "hockney";
  return run_in_child([&](ParentLink&) {
           SimGridPlatform platform({.file = file.path(), .crossbar = {}}, model);
           std::mt19937_64 random(seed);
           for (std::uint32_t i = 0; i < cases; ++i) {
             const RandomCase made = random_case(random, rolled.hosts);
             const Schedule schedule =
                 i % 2 == 0 ? make_schedule(*made.algorithm, made.problem, Detail::times_only)
                            : random_schedule(random, made.mapping.ranks, 300,
                                              HandMadeSchedule::kMaxBytes);
             const RankHosts hosts = platform.place(made.mapping, {}, made.problem.element_bytes);
             SimGridNetwork network(platform, hosts, model);
             const std::string wrong =
                 ways_differ(network, flow_setup_of(network, hosts, made.copy_s_per_byte), schedule,
                             made.setup);
             if (!wrong.empty()) {
               return fmt::format("TUTTI_TEST_SEED={}, {}, {}, {}: {}", seed, rolled.kind, model,
                                  i % 2 == 0 ? made.in_words() : "a random schedule", wrong);
             }
           }
           return std::string();
         })
      .bytes;
}

void check_random_platforms(std::uint64_t first_seed, std::uint32_t platforms,
                            std::uint32_t cases_each) {
  std::printf("TUTTI_TEST_SEED=%llu, %u platforms, %u cases on each\n",
              static_cast<unsigned long long>(first_seed), platforms, cases_each);
  for (std::uint32_t i = 0; i < platforms; ++i) {
    CHECK(random_platform_differs(first_seed + i, cases_each) == "");
  }
}

}  // namespace

TEST_CASE("all ways of solving give the same bits: the platforms in the repository") {
  const KeptPlatform kept = GENERATE(
      KeptPlatform{"torus_64.xml", 60, 1}, KeptPlatform{"slingshot_128.xml", 64, 1},
      KeptPlatform{"infiniband_hdr_128.xml", 48, 1},
      KeptPlatform{"infiniband_hdr_128_thin.xml", 64, 1}, KeptPlatform{"smp_16x8.xml", 64, 8});
  CAPTURE(kept.file);
  CHECK(kept_platform_differs(kept) == "");
}

TEST_CASE("all ways of solving give the same bits: a sample of random cases") {
  check_random_platforms(test_seed(), 20, 10);
}

TEST_CASE("all ways of solving give the same bits: 5000 random cases", "[slow]") {
  check_random_platforms(test_seed() + 20'000, 500, 10);
}

}  // namespace tutti::test_simgrid_ways_of_solving
