#include "cost_models/nccl/model.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cost_models/nccl/why_not.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_model {

namespace {

NcclPath path_of(const std::string& name) {
  const auto path = nccl_path_named(name);
  REQUIRE(path);
  return *path;
}

void read(std::istream& in, NcclGraph& graph) {
  std::string intra;
  std::string inter;
  in >> graph.pattern >> graph.channels >> graph.intra_gb_per_s >> graph.inter_gb_per_s >>
      graph.inter_latency_us >> intra >> inter >> graph.same_channels;
  graph.intra = path_of(intra);
  graph.inter = path_of(inter);
}

NcclCluster read_cluster(std::istream& in) {
  const std::map<std::string, NcclCpu> cpus{{"intel", NcclCpu::intel}, {"amd", NcclCpu::amd},
                                            {"other", NcclCpu::other}, {"mixed", NcclCpu::mixed},
                                            {"arm", NcclCpu::arm},     {"power", NcclCpu::power}};
  NcclCluster cluster;
  std::string cpu;
  in >> cluster.ranks >> cluster.nodes >> cluster.lowest_capability >> cluster.highest_capability >>
      cpu;
  cluster.cpu = cpus.at(cpu);
  NcclGraphs& graphs = cluster.graphs;
  for (NcclGraph* graph :
       {&graphs.ring, &graphs.tree, &graphs.collnet_chain, &graphs.nvls, &graphs.collnet_direct}) {
    read(in, *graph);
  }
  in >> cluster.nvlink_switches >> cluster.nvls >> cluster.collnet >> cluster.collnet_chain >>
      cluster.collnet_gathers >> cluster.collnet_scatters >> cluster.net_offload >>
      cluster.collnet_heads;
  return cluster;
}

// An input of the file of samples, and the differences between the results of a release and of
// the release before, by the name of the release.
struct Sample {
  std::string input;
  Collective collective = Collective::allreduce;
  std::uint64_t bytes = 0;
  int calls = 1;
  std::map<std::string, std::string> changes;
};

// Results of one release: the bits of the times by the numbers of algorithm and protocol, and the
// choice.
struct Results {
  std::map<std::string, std::uint32_t> times;
  std::string choice;
};

std::vector<Sample> read_samples() {
  std::ifstream file(source_dir() + "/tests/cost_models/nccl/samples.txt");
  std::vector<Sample> samples;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) {
      continue;
    }
    if (line.starts_with(": ")) {
      std::istringstream in(line.substr(2));
      std::string release;
      in >> release;
      std::getline(in, samples.back().changes[release]);
      continue;
    }
    Sample sample;
    sample.input = line;
    std::istringstream in(line);
    (void)read_cluster(in);
    std::string word;
    in >> word >> sample.bytes >> sample.calls;
    sample.collective = collective_named(word).value();
    samples.push_back(std::move(sample));
  }
  return samples;
}

// Older releases do not know these paths. There, data go through the processor.
void without_c2c(NcclPath& path) {
  path = path == NcclPath::c2c || path == NcclPath::p2c ? NcclPath::phb : path;
}

NcclCluster cluster_of(const Sample& sample, const NcclRelease& release) {
  std::istringstream in(sample.input);
  NcclCluster cluster = read_cluster(in);
  cluster.release = &release;
  NcclGraphs& graphs = cluster.graphs;
  for (NcclGraph* graph :
       {&graphs.ring, &graphs.tree, &graphs.collnet_chain, &graphs.nvls, &graphs.collnet_direct}) {
    if (!release.formulas.c2c_paths) {
      without_c2c(graph->intra);
      without_c2c(graph->inter);
    }
  }
  return cluster;
}

void apply(const std::string& changes, Results& expected) {
  std::istringstream in(changes);
  std::string word;
  while (in >> word && word != ">") {
    const std::string number = word.substr(0, 2);
    if (word.substr(3) == "-") {
      expected.times.erase(number);
    } else {
      expected.times[number] = static_cast<std::uint32_t>(std::stoul(word.substr(3), nullptr, 16));
    }
  }
  std::getline(in >> std::ws, expected.choice);
}

template <typename Visit>
void for_each_way(Visit visit) {
  for (std::size_t a = 0; a < kNcclAlgorithms; ++a) {
    for (std::size_t p = 0; p < kNcclProtocols; ++p) {
      visit(static_cast<NcclAlgorithm>(a), static_cast<NcclProtocol>(p), fmt::format("{}{}", a, p));
    }
  }
}

// An entry of the table that NCCL prints with NCCL_DEBUG_SUBSYS=TUNING: latency in us and bandwidth
// in GB/s, each with one decimal.
struct PrintedEntry {
  Collective collective;
  NcclAlgorithm algorithm;
  NcclProtocol protocol;
  double latency_us;
  double gb_per_s;
};

void check(const NcclModel& model, const PrintedEntry& printed) {
  CAPTURE(name(printed.collective), name(printed.algorithm), name(printed.protocol));
  const NcclCost& cost = model.cost(printed.collective, printed.algorithm, printed.protocol);
  CHECK(cost.latency_us == Approx(printed.latency_us).margin(0.0501).epsilon(0));
  CHECK(cost.gb_per_s == Approx(printed.gb_per_s).margin(0.0501).epsilon(0));
}

using enum NcclAlgorithm;
using enum NcclProtocol;

}  // namespace

TEST_CASE("NCCL's model agrees with each release of the library to the last bit") {
  const std::vector<Sample> samples = read_samples();
  CHECK(samples.size() >= 300);
  std::map<std::string, int> chosen;
  std::map<std::string, int> reasons;
  int pairs = 0;
  for (const Sample& sample : samples) {
    Results expected;
    for (const NcclRelease& release : nccl_releases()) {
      INFO(sample.input << " with " << release.name);
      if (const auto changes = sample.changes.find(release.name); changes != sample.changes.end()) {
        apply(changes->second, expected);
      }
      ++pairs;
      const NcclCluster cluster = cluster_of(sample, release);
      if (!release.formulas.blackwell_known && cluster.lowest_capability >= 100) {
        CHECK_THROWS_WITH(NcclModel(cluster), Catch::Contains("for these, use NCCL 2.31"));
        continue;
      }
      const NcclModel model(cluster);
      std::map<std::string, std::uint32_t> ours;
      for_each_way([&](NcclAlgorithm algorithm, NcclProtocol protocol, const std::string& number) {
        const auto time =
            model.time_us(sample.collective, algorithm, protocol, sample.bytes, sample.calls);
        if (time) {
          ours[number] = std::bit_cast<std::uint32_t>(*time);
        }
        // There is a reason if and only if there is no time. Up to 2.22, CollNet direct may have a
        // negative bandwidth, with which only small calls have a time.
        const std::string why = nccl_why_not(model, sample.collective, algorithm, protocol);
        const bool negative = model.cost(sample.collective, algorithm, protocol).gb_per_s < 0;
        CHECK((negative || why.empty() == time.has_value()));
        // Counts the reasons, to check below that few of them are the least specific one.
        ++reasons[why];
      });
      CHECK(ours == expected.times);
      const auto choice = model.choose(sample.collective, sample.bytes, sample.calls);
      REQUIRE(choice);
      const std::string way = fmt::format("{}{}", static_cast<int>(choice->algorithm),
                                          static_cast<int>(choice->protocol));
      ++chosen[way];
      CHECK(fmt::format("{} {} {}", way, choice->channels, choice->threads) == expected.choice);
    }
  }
  CHECK(pairs == static_cast<int>(samples.size() * nccl_releases().size()));
  // The samples cover at least 10 pairs of a chosen algorithm and protocol.
  CHECK(chosen.size() >= 10);
  CHECK(reasons.size() >= 20);
  CHECK(reasons["its bandwidth is 0 in NCCL's model"] <= pairs / 10);
}

// The expected values are the release lines and the differences that NCCL's tags show.
TEST_CASE("Releases of NCCL are found by their names") {
  const auto named = [](const char* text) { return nccl_release_named("x", text).name; };
  CHECK(named("2.27") == "2.27.7");
  CHECK(named("2.27.5") == "2.27.5");
  CHECK(named("NCCL 2.28.9") == "2.28.9");
  CHECK(named("nccl 2.22") == "2.22.3");
  CHECK(named("v2.30.7-1") == "2.30.7");
  CHECK(named("2.29.7+cuda13.0") == "2.29.7");
  CHECK(nccl_default_release().name == "2.29.7");
  CHECK_THROWS_WITH(named("2.27.4"),
                    "x: there is no such release of NCCL 2.27; expected 2.27.3, "
                    "2.27.5, 2.27.6 or 2.27.7");
  CHECK_THROWS_WITH(nccl_release_named("x", "NCCL 2.17", "NCCL "),
                    Catch::Contains("expected NCCL 2.19 to NCCL 2.32"));
  CHECK_THROWS_WITH(nccl_release_named("x", "NCCL 2.40", "NCCL "),
                    Catch::Contains("did you mean 'NCCL 2.32', the newest?"));
  for (const char* text : {"", "2", "2.", "3.1", "2.27.5.1", "2.x", "latest", "2.-1"}) {
    CHECK_THROWS_AS(named(text), UserError);
  }
  // Each line is the name of its newest release.
  for (const std::string& line : nccl_release_lines()) {
    CHECK(nccl_release_named("x", line).name.starts_with(line + "."));
  }
}

// The expected values are computed by hand as in NCCL's topoGetAlgoInfo: a call uses all 16
// channels of 512 threads only if each thread gets at least 64 bytes, and a ring with the Simple
// protocol uses one warp more.
TEST_CASE("Small calls use fewer channels first, and then fewer threads") {
  NcclCluster cluster;
  cluster.ranks = 24;
  cluster.nodes = 3;
  cluster.graphs.ring = {4, 8, 24, 24, 0, NcclPath::nvl, NcclPath::pix, false};
  cluster.graphs.tree = {1, 8, 24, 24, 0, NcclPath::nvl, NcclPath::pix, false};
  const NcclModel model(cluster);
  CHECK(model.channels_for(ring, simple, std::uint64_t{1} << 30U) == 16);
  CHECK(model.channels_for(ring, simple, 16 * 512 * 64) == 16);
  CHECK(model.channels_for(ring, simple, 16 * 512 * 64 - 1) == 15);
  CHECK(model.channels_for(ring, simple, 1) == 1);
  const auto large = model.choose(Collective::allgather, std::uint64_t{8} << 30U);
  REQUIRE(large);
  CHECK(large->protocol == simple);
  CHECK(large->threads == 512 + 32);
  const auto small = model.choose(Collective::bcast, 8);
  REQUIRE(small);
  CHECK(small->protocol == ll);
  // The number of threads is halved from 512 down to 64, and then raised to the minimum, 96.
  CHECK(small->threads == 96);
  CHECK(small->channels == 1);
}

// The expected values come from https://github.com/eunomia-bpf/nccl-eBPF, a log of NCCL 2.29.7 with
// NCCL_DEBUG_SUBSYS=TUNING. Two ranks on RTX 5090 GPUs communicate over sockets; NCCL treats them
// as two nodes. The graphs below are derived from the bandwidths in the log: two channels of 1.2
// GB/s each, except that the channels of a tree have 2.4 GB/s within a node.
TEST_CASE("NCCL's model matches a log of NCCL 2.29.7") {
  NcclCluster cluster;
  cluster.ranks = 2;
  cluster.nodes = 2;
  cluster.lowest_capability = cluster.highest_capability = 120;
  cluster.nvls = false;
  cluster.graphs.ring = {4, 2, 1.2F, 1.2F, 0, NcclPath::loc, NcclPath::phb, true};
  cluster.graphs.tree = {kNcclPlainTree, 2, 2.4F, 1.2F, 0, NcclPath::loc, NcclPath::phb, true};
  const NcclModel model(cluster);

  for (const Collective collective : {Collective::bcast, Collective::reduce}) {
    check(model, {collective, ring, ll, 9.3, 1.2});
    check(model, {collective, ring, ll128, 18.0, 0});
    check(model, {collective, ring, simple, 22.4, 2.4});
    check(model, {collective, tree, simple, 0, 0});
  }
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    check(model, {collective, ring, ll, 11.6, 2.4});
    check(model, {collective, ring, ll128, 22.5, 0});
    check(model, {collective, ring, simple, 22.4, 4.8});
    check(model, {collective, collnet_direct, ll, 5.0, 0});
    check(model, {collective, collnet_direct, ll128, 8.5, 0});
    check(model, {collective, collnet_direct, simple, 14.0, 0});
    check(model, {collective, collnet_chain, simple, 0, 0});
    check(model, {collective, pat, simple, 17.6, 3.6});
  }
  check(model, {Collective::allreduce, tree, ll, 16.8, 0.5});
  check(model, {Collective::allreduce, tree, ll128, 31.0, 0});
  check(model, {Collective::allreduce, tree, simple, 36.4, 1.9});
  check(model, {Collective::allreduce, ring, ll, 16.6, 1.2});
  check(model, {Collective::allreduce, ring, ll128, 31.0, 0});
  check(model, {Collective::allreduce, ring, simple, 36.4, 2.4});
  check(model, {Collective::allreduce, collnet_chain, simple, 14.0, 0});
  check(model, {Collective::allreduce, nvls, simple, 0, 0});

  for (std::uint64_t bytes = 1024; bytes <= (1U << 27U); bytes *= 2) {
    CAPTURE(bytes);
    const auto choice = model.choose(Collective::bcast, bytes);
    REQUIRE(choice);
    CHECK(choice->algorithm == ring);
    CHECK(choice->protocol == (bytes <= 16384 ? ll : simple));
    // The log shows only how many channels a call used. Small calls may use fewer channels than
    // NCCL's model chose, so they are not compared exactly.
    CHECK(choice->channels <= 4);
    if (bytes >= 131072) {
      CHECK(choice->channels == 4);
    }
  }
}

// The expected values come from https://github.com/NVIDIA/nccl/issues/1453, a log of NCCL 2.22 on
// three nodes with eight H100 GPUs each, with 16 channels. There, a ring with the Simple protocol
// takes 86069.968750 us for 8 GiB and 43194.867188 us for 4 GiB.
TEST_CASE("NCCL's model matches times of NCCL 2.22 on three H100 nodes") {
  NcclCluster cluster;
  cluster.ranks = 24;
  cluster.nodes = 3;
  cluster.graphs.ring = {4, 8, 24, 24, 0, NcclPath::nvl, NcclPath::pix, false};
  cluster.graphs.tree = {1, 8, 24, 24, 0, NcclPath::nvl, NcclPath::pix, false};
  cluster.release = &nccl_release_named("release", "2.22");
  const NcclModel model(cluster);
  const auto time = [&](std::uint64_t bytes) {
    return model.time_us(Collective::allreduce, ring, simple, bytes).value_or(0);
  };
  CHECK(time(std::uint64_t{8} << 30U) == Approx(86069.968750).epsilon(1e-9));
  CHECK(time(std::uint64_t{4} << 30U) == Approx(43194.867188).epsilon(1e-9));
  const auto choice = model.choose(Collective::allreduce, std::uint64_t{8} << 30U);
  REQUIRE(choice);
  CHECK(choice->algorithm == ring);
  CHECK(choice->protocol == simple);
  CHECK(choice->channels == 16);
}

// The expected values come from https://github.com/NVIDIA/nccl/issues/1519, a log of NCCL 2.21 on
// two nodes, each with eight H100 GPUs and 20 GB/s of Ethernet in total.
TEST_CASE("NCCL's model matches times of two H100 nodes with Ethernet") {
  NcclCluster cluster;
  cluster.ranks = 16;
  cluster.nodes = 2;
  cluster.graphs.ring = {4, 8, 2.5F, 2.5F, 0, NcclPath::nvl, NcclPath::phb, true};
  cluster.graphs.tree = cluster.graphs.ring;
  cluster.release = &nccl_release_named("release", "2.21");
  const NcclModel model(cluster);
  for (const Collective collective : {Collective::bcast, Collective::reduce}) {
    check(model, {collective, ring, ll128, 18.0, 0});
    check(model, {collective, ring, simple, 22.4, 20.0});
    CHECK(model.cost(collective, ring, ll).latency_us == Approx(9.3));
  }
  for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    check(model, {collective, ring, ll128, 44.6, 0});
    check(model, {collective, ring, simple, 70.0, 21.3});
    CHECK(model.cost(collective, ring, ll).latency_us == Approx(23.3));
  }
  CHECK(model.cost(Collective::allreduce, tree, ll).latency_us == Approx(25.2));
  CHECK(model.cost(Collective::allreduce, tree, ll128).latency_us == Approx(48.5));
}

TEST_CASE("NCCL's model refuses invalid clusters") {
  NcclCluster cluster;
  cluster.ranks = 1;
  CHECK_THROWS_AS(NcclModel(cluster), UserError);
  cluster.ranks = 4;
  cluster.nodes = 5;
  CHECK_THROWS_AS(NcclModel(cluster), UserError);
  cluster.nodes = 0;
  CHECK_THROWS_AS(NcclModel(cluster), UserError);
}

}  // namespace tutti::test_model
