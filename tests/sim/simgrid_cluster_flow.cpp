// Checks that the flow engine computes bit-identical times on tutti's own routes and on SimGrid's,
// although tutti and SimGrid number the links differently.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

#include "platforms/cluster_file.hpp"
#include "platforms/simgrid/simgrid_network.hpp"
#include "platforms/simgrid/simgrid_platform.hpp"
#include "schedules/registry.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/isolated_process.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_simgrid_cluster_flow {

namespace {

Timeline run(Network& network, std::vector<std::uint32_t> host_of_rank, const Schedule& schedule,
             std::uint32_t ports) {
  const FlowSetup flow_setup{.host_of_rank = std::move(host_of_rank)};
  RunSetup setup;
  setup.ports = ports;
  return FlowEngine(network, flow_setup).run(schedule, setup);
}

}  // namespace

TEST_CASE("flow gives the same times with our routes of a cluster and with SimGrid's") {
  struct Where {
    const char* platform;
    std::uint32_t ranks;
    std::uint32_t ranks_per_host;
    const char* algorithm;
  };
  for (const Where& where :
       {Where{"torus_64", 64, 1, "alltoall/pairwise"}, Where{"torus_64", 20, 1, "alltoall/linear"},
        Where{"infiniband_hdr_128_thin", 96, 1, "alltoall/pairwise"},
        Where{"slingshot_128", 128, 1, "allreduce/recursive_doubling"},
        Where{"slingshot_128", 60, 1, "alltoall/pairwise"},
        Where{"smp_16x8", 48, 3, "alltoall/pairwise"},
        Where{"ethernet_1g_32", 32, 1, "alltoall/linear"}}) {
    for (const char* model : {"hockney", "lv08"}) {
      for (const std::uint32_t ports : {1U, kUnlimitedPorts}) {
        CAPTURE(where.platform, where.ranks, where.algorithm, model, ports);
        const std::string apart =
            run_in_child([&](ParentLink&) -> std::string {
              const Algorithm& algorithm = algorithm_named(where.algorithm);
              Problem problem;
              problem.collective = algorithm.collective;
              problem.ranks = where.ranks;
              problem.bytes = 96000;
              const Schedule schedule = make_schedule(algorithm, problem, Detail::times_only);
              const std::string file =
                  fmt::format("{}/platforms/{}.xml", source_dir(), where.platform);
              const Mapping mapping{where.ranks, where.ranks_per_host, Placement::block};

              ClusterPlatform own = *read_cluster_file(file);
              const RankPlaces places = place_ranks(own, mapping, {}, 8);
              const auto network = own.network(places.facts.hosts_used, model);
              const Timeline here = run(*network, places.host_of_rank, schedule, ports);

              SimGridPlatform simgrid({.file = file, .crossbar = {}}, "hockney");
              const RankHosts hosts = simgrid.place(mapping, {}, 8);
              SimGridNetwork judge(simgrid, hosts, model);
              const Timeline there = run(judge, judge.host_of_rank(), schedule, ports);
              for (OpId id = 0; id < schedule.size(); ++id) {
                if (here.start_s[id] != there.start_s[id] || here.end_s[id] != there.end_s[id]) {
                  return fmt::format(
                      "operation {}: {} to {} s, but with SimGrid's routes {} to {} s", id,
                      here.start_s[id], here.end_s[id], there.start_s[id], there.end_s[id]);
                }
              }
              return here.total_s > 0 ? "" : "nothing ran";
            }).bytes;
        CHECK(apart == "");
      }
    }
  }
}

}  // namespace tutti::test_simgrid_cluster_flow
