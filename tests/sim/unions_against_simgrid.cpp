// Checks that the flow engine and SimGrid agree on every operation of random unions, also if ranks
// have several cores and network interfaces.
#include <catch2/catch.hpp>

#include <cstdio>
#include <optional>

#include "tests/sim/flow_platforms.hpp"
#include "tests/sim/random_schedule.hpp"
#include "tests/sim/random_union.hpp"
#include "tests/sim/simgrid_cells.hpp"

namespace tutti::test_unions_against_simgrid {

TEST_CASE("flow equals SimGrid: 200 unions of jobs, groups and computing on up to 64 ranks") {
  constexpr std::size_t kOnEach = 25;
  const std::uint64_t seed = test_seed();
  std::printf("TUTTI_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::uint64_t first = seed;
  for (const FlowPlatform& platform : flow_platforms()) {
    SimGridConfig config = crossbar_config(64);
    std::optional<PlatformFile> file;
    if (!platform.xml.empty()) {
      config.platform.file = file.emplace("union_" + platform.name, platform.xml).path();
    }
    config.ranks_per_host = platform.ranks_per_host;
    config.copy_s_per_byte = kUnionCopy_s_per_byte;
    config.updates = Updates::pointed_out;
    const bool bus = platform.name == "backbone" || platform.name == "half_duplex";
    const std::uint32_t most = platform.xml.empty() ? 64 : bus ? 33 : 36;
    check_cells(config, kOnEach, [&](std::size_t i, const LoadedPlatform& loaded) {
      const std::uint64_t own = first + i;
      const auto ranks = static_cast<std::uint32_t>(4 + own * 7919 % (most - 3));
      Schedule schedule = RandomUnion(own, ranks).make();
      if (own % 4 == 1) {
        std::mt19937_64 random(own);
        schedule = with_random_units(schedule, random);
      }
      const RunSetup setup{own % 3 == 0 ? 1U : kUnlimitedPorts};
      const SimGridResult simgrid = loaded.simulate(schedule, setup);
      const SimGridResult flow = loaded.simulate(schedule, setup, Simulator::flow);
      const std::string wrong = difference(flow.timeline, simgrid.timeline, 1e-9);
      return wrong.empty() ? wrong
                           : fmt::format("seed {}, {} ranks, {} operations on {}: {}", own, ranks,
                                         schedule.size(), platform.name, wrong);
    });
    first += kOnEach;
  }
}

}  // namespace tutti::test_unions_against_simgrid
