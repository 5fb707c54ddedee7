#include "cost_models/nccl/machine.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "cost_models/nccl/model.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_machine {

namespace {

NcclGraphs graphs_of(const char* gpu, std::uint32_t ranks) {
  const NcclGpu* const known = nccl_gpu_named(gpu);
  REQUIRE(known != nullptr);
  return cluster_of(known->machine, ranks).graphs;
}

void check(const NcclGraph& graph, int pattern, int channels, float intra, float inter,
           NcclPath worst, NcclPath between) {
  CHECK(graph.pattern == pattern);
  CHECK(graph.channels == channels);
  CHECK(graph.intra_gb_per_s == intra);
  CHECK(graph.inter_gb_per_s == inter);
  CHECK(name(graph.intra) == name(worst));
  CHECK(name(graph.inter) == name(between));
}

// Returns the figures of a graph as in searched.txt.
std::string in_words(const NcclGraph& graph) {
  return fmt::format("{} {} {} {:g} {:g} {} {} {}", graph.pattern, graph.crosses_cards ? 2 : 0,
                     graph.channels, graph.intra_gb_per_s, graph.inter_gb_per_s, name(graph.intra),
                     name(graph.inter), graph.same_channels ? 1 : 0);
}

}  // namespace

// The expected values come from https://github.com/NVIDIA/nccl/issues/1197, a log of NCCL 2.19.4 on
// one node with H100 GPUs. The log states 20 GB/s per NVLink, which is 360 GB/s for the 18 NVLinks
// of a GPU.
TEST_CASE("The graphs of an H100 node match a log of NCCL") {
  NcclMachine machine = nccl_gpu_named("h100")->machine;
  for (const double nvlink : {360.0, machine.nvlink_gb_per_s}) {
    machine.nvlink_gb_per_s = nvlink;
    const NcclGraphs graphs = cluster_of(machine, 8).graphs;
    check(graphs.ring, 4, 12, 30, 30, NcclPath::nvl, NcclPath::pix);
    CHECK(graphs.ring.same_channels);
    check(graphs.tree, 1, 12, 30, 30, NcclPath::nvl, NcclPath::pix);
    check(graphs.nvls, 5, 8, 40, 60, NcclPath::nvl, NcclPath::pix);
    CHECK_FALSE(graphs.nvls.same_channels);
  }
}

// The expected values come from https://github.com/NVIDIA/nccl/issues/1453, a log of NCCL on three
// nodes with H100 GPUs: the graph of the ring has 8 different channels of 24 GB/s each.
TEST_CASE("The rings of H100 nodes with 25 GB/s cards match a log of NCCL") {
  NcclMachine machine = nccl_gpu_named("h100")->machine;
  machine.nic_gb_per_s = 25;
  machine.gpus_per_switch = 2;  // the log has PIX, so a ring returns within a PCI switch
  const NcclCluster cluster = cluster_of(machine, 24);
  CHECK(cluster.nodes == 3);
  check(cluster.graphs.ring, 4, 8, 24, 24, NcclPath::nvl, NcclPath::pix);
  CHECK_FALSE(cluster.graphs.ring.same_channels);
  CHECK(nccl_channels(cluster).rings == 16);
}

TEST_CASE("A node of A100 has 24 channels") {
  const NcclGraphs graphs = graphs_of("a100", 8);
  check(graphs.ring, 4, 12, 20, 20, NcclPath::nvl, NcclPath::pix);
  CHECK(graphs.nvls.channels == 0);
  NcclCluster cluster = cluster_of(nccl_gpu_named("a100")->machine, 8);
  CHECK(nccl_channels(cluster).rings == 24);
}

// The expected values come from a log that users have published, of two nodes with eight network
// cards of 400 Gb/s each. It contains "Pattern 4, crossNic 2, nChannels 8, bw 48.000000/48.000000,
// type NVL/PIX", and shows 16 channels for NVLS.
TEST_CASE("Network cards limit the bandwidth between nodes") {
  NcclMachine machine = nccl_gpu_named("h100")->machine;
  check(cluster_of(machine, 64).graphs.ring, 4, 8, 48, 48, NcclPath::nvl, NcclPath::pix);
  CHECK(nccl_channels(cluster_of(machine, 16)).nvls == 16);
  check(cluster_of(machine, 64).graphs.tree, kNcclPlainTree, 8, 48, 48, NcclPath::nvl,
        NcclPath::pix);
  check(cluster_of(machine, 64).graphs.nvls, 5, 8, 40, 48, NcclPath::nvl, NcclPath::pix);

  CHECK(cluster_of(machine, 64).graphs.ring.crosses_cards);
  CHECK(cluster_of(machine, 64).cards == 8);
  CHECK(cluster_of(machine, 8).cards == 0);

  // If all GPUs share one card, the last GPU of a ring reaches the card through the first GPU.
  machine.nics_per_node = 1;
  check(cluster_of(machine, 16).graphs.ring, 4, 2, 24, 24, NcclPath::nvl, NcclPath::pxn);
  CHECK_FALSE(cluster_of(machine, 16).graphs.ring.crosses_cards);
}

TEST_CASE("A node with one GPU needs no NVLink") {
  NcclMachine machine = nccl_gpu_named("a100")->machine;
  machine.gpus_per_node = machine.nics_per_node = machine.gpus_per_switch = 1;
  machine.nvlink_gb_per_s = 0;
  const NcclCluster cluster = cluster_of(machine, 16);
  CHECK(cluster.nodes == 16);
  check(cluster.graphs.ring, 4, 1, 24, 24, NcclPath::loc, NcclPath::pix);
  CHECK(cluster.graphs.tree.pattern == kNcclPlainTree);
  CHECK(cluster.graphs.nvls.channels == 0);
}

TEST_CASE("Every known GPU type works in clusters of any size") {
  for (const NcclGpu& gpu : nccl_gpus()) {
    CAPTURE(std::string(gpu.name));
    for (const std::uint32_t ranks : {2U, 3U, 8U, 9U, 64U, 100U, 576U, 4096U}) {
      for (const std::uint32_t gpus : {1U, 2U, 7U, 8U, 72U}) {
        for (const std::uint32_t nics : {1U, 2U, 4U, 8U, 32U}) {
          if (nics > gpus || (gpu.machine.pairs && gpus > 4) || !gpu.machine.amd_gpu.empty()) {
            continue;
          }
          NcclMachine machine = gpu.machine;
          machine.gpus_per_node = gpus;
          machine.nics_per_node = nics;
          CAPTURE(ranks, gpus, nics);
          const NcclCluster cluster = cluster_of(machine, ranks);
          const NcclGraphs& graphs = cluster.graphs;
          CHECK(graphs.ring.channels >= 1);
          CHECK(graphs.ring.channels <= kNcclMostChannels);
          CHECK(graphs.tree.channels == graphs.ring.channels);
          // The channels together do not exceed the bandwidth of the links.
          CHECK(static_cast<float>(graphs.ring.channels) * graphs.ring.intra_gb_per_s <=
                1.15 *
                    std::max(machine.nvlinks_gb_per_s(gpus) * 8 / 7, nics * machine.nic_gb_per_s));
          for (const Collective collective : nccl_collectives()) {
            CHECK(NcclModel(cluster).choose(collective, 1U << 20U));
          }
        }
      }
    }
  }
}

// Every line of the file has the graphs that NCCL found on a node. NCCL's search stops after a
// number of steps, before it finds the best trees of a few nodes, which are listed here.
TEST_CASE("The graphs of 300 nodes are those of NCCL's search") {
  const std::set<std::string> known{"a800 6 6 1 1", "a800 7 6 1 1", "a800 8 3 1 1", "a800 8 8 1 1"};
  std::ifstream file(source_dir() + "/tests/cost_models/nccl/searched.txt");
  std::string line;
  int lines = 0;
  std::set<std::string> different;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) {
      continue;
    }
    ++lines;
    std::istringstream in(line);
    std::string gpu;
    NcclMachine machine;
    std::uint32_t gpus = 0;
    std::uint32_t cards = 0;
    std::uint32_t gpus_per_switch = 0;
    bool nodes = false;
    in >> gpu >> gpus >> cards >> gpus_per_switch >> nodes;
    machine = nccl_gpu_named(gpu)->machine;
    machine.gpus_per_node = gpus;
    machine.nics_per_node = cards;
    machine.gpus_per_switch = gpus_per_switch;
    const NcclGraphs graphs =
        cluster_of(machine, nodes ? 3 * gpus : gpus, nccl_release_named("release", "2.30.7"))
            .graphs;
    std::string ours = line.substr(0, line.find(" :"));
    const std::string node = ours;
    for (const NcclGraph* graph : {&graphs.ring, &graphs.tree, &graphs.nvls}) {
      ours += " : " + in_words(*graph);
    }
    // A graph without channels has no other figures.
    const std::size_t none = line.find(" : 5 0 0 ");
    if (none != std::string::npos) {
      CHECK(graphs.nvls.channels == 0);
      line.resize(none);
      ours.resize(ours.rfind(" : "));
    }
    INFO(line);
    if (ours != line) {
      different.insert(node);
      // Only the trees differ.
      CHECK(ours.substr(0, ours.find(" : 1 ")) == line.substr(0, line.find(" : 1 ")));
    }
  }
  CHECK(lines == 300);
  CHECK(different == known);
}

// NCCL's search stops after a number of steps. In some releases, it then has worse graphs of the
// nodes listed here.
TEST_CASE("The graphs of nodes are those of the search of each release") {
  const std::set<std::string> known{
      "a100 8 8 1 1 25", "a800 8 8 1 1 25", "h100 8 4 2 1 50",
      "h800 4 4 1 0 50", "h800 8 4 2 1 50", "h800 8 8 2 1 50",
  };
  std::set<std::string> different;
  std::ifstream file(source_dir() + "/tests/cost_models/nccl/searched_releases.txt");
  std::string line;
  int searches = 0;
  std::set<std::string> gpus_seen;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) {
      continue;
    }
    std::istringstream in(line);
    std::string releases;
    std::string gpu;
    std::uint32_t gpus = 0;
    bool nodes = false;
    NcclMachine machine;
    std::uint32_t cards = 0;
    std::uint32_t gpus_per_switch = 0;
    double nic_gb_per_s = 0;
    in >> releases >> gpu >> gpus >> cards >> gpus_per_switch >> nodes >> nic_gb_per_s;
    gpus_seen.insert(gpu);
    machine = nccl_gpu_named(gpu)->machine;
    machine.gpus_per_node = gpus;
    machine.nics_per_node = cards;
    machine.gpus_per_switch = gpus_per_switch;
    machine.nic_gb_per_s = nic_gb_per_s;
    std::istringstream names(releases);
    std::string name;
    while (std::getline(names, name, ',')) {
      INFO(name << ": " << line);
      ++searches;
      const NcclGraphs graphs =
          cluster_of(machine, nodes ? 3 * gpus : gpus, nccl_release_named("release", name)).graphs;
      std::string ours = line.substr(0, line.find(" : "));
      for (const NcclGraph* graph : {&graphs.ring, &graphs.tree, &graphs.nvls}) {
        ours += " : " + (graph->channels == 0 ? "none" : in_words(*graph));
      }
      if (ours != line) {
        different.insert(fmt::format("{} {} {} {} {} {:g}", gpu, gpus, cards, gpus_per_switch,
                                     nodes ? 1 : 0, nic_gb_per_s));
      }
    }
  }
  CHECK(different == known);
  CHECK(searches == 2244);
  CHECK(gpus_seen ==
        std::set<std::string>{"a100", "a800", "b200", "b300", "gh200", "h100", "h800"});
}

TEST_CASE("NVLS needs more than two GPUs up to 2.28.3") {
  NcclMachine machine = nccl_gpu_named("h100")->machine;
  machine.gpus_per_node = machine.nics_per_node = 2;
  for (const auto& [release, nvls] : {std::pair{"2.28.3", false}, std::pair{"2.28.7", true}}) {
    CAPTURE(release);
    const NcclModel model(cluster_of(machine, 8, nccl_release_named("release", release)));
    CHECK(model.cluster().nvls == nvls);
    CHECK(model.time_us(Collective::allreduce, NcclAlgorithm::nvls_tree, NcclProtocol::simple, 1024)
              .has_value() == nvls);
    machine.gpus_per_node = machine.nics_per_node = 3;
    CHECK(cluster_of(machine, 9, nccl_release_named("release", release)).nvls);
    machine.gpus_per_node = machine.nics_per_node = 2;
  }
}

TEST_CASE("Invalid NCCL machines are refused") {
  NcclMachine machine = nccl_gpu_named("h100")->machine;
  machine.nvlink_gb_per_s = 0;
  CHECK_THROWS_WITH(cluster_of(machine, 8), Catch::Contains("--graph"));
  machine = nccl_gpu_named("h100")->machine;
  machine.nics_per_node = 0;
  CHECK_THROWS_WITH(cluster_of(machine, 16), Catch::Contains("no network"));
  CHECK_NOTHROW(cluster_of(machine, 8));
  machine.nics_per_node = 9;
  CHECK_THROWS_WITH(cluster_of(machine, 16), Catch::Contains("more cards than the 8 GPUs"));
  machine.nics_per_node = 8;
  machine.gpus_per_switch = 3;
  CHECK_THROWS_WITH(cluster_of(machine, 16), Catch::Contains("must be 1 or 2"));
  machine.gpus_per_switch = 1;
  machine.nics_per_node = 1;
  machine.nic_gb_per_s = 0.01;
  CHECK_THROWS_WITH(cluster_of(machine, 16), Catch::Contains("no ring"));
  machine.gpus_per_node = 0;
  CHECK_THROWS_AS(cluster_of(machine, 8), UserError);
  CHECK(nccl_gpu_named("h1000") == nullptr);
}

}  // namespace tutti::test_machine
