// Tests clusters of GPUs without SimGrid: routes by hand, the two forms of the file, bad input.
#include "tests/platforms/gpu_platforms.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "platforms/gpu_presets.hpp"

namespace tutti::test_gpu_platforms {

using namespace gpu_platforms;
using route_differences::message_of;

namespace {

// Returns the number of cables between two GPUs in a list such as "0-1*4,0-2".
std::uint32_t cables_between(const std::string& pairs, std::uint32_t one, std::uint32_t other) {
  const std::string text = "," + pairs + ",";
  const std::string pair = fmt::format(",{}-{}", std::min(one, other), std::max(one, other));
  if (text.find(pair + ",") != std::string::npos) {
    return 1;
  }
  const std::size_t at = text.find(pair + "*");
  return at == std::string::npos
             ? 0
             : static_cast<std::uint32_t>(std::stoul(text.substr(at + pair.size() + 1)));
}

// The figures of a route over a list of pairs. If several GPUs join two others, the narrower cables
// of all paths are equal in the lists of these tests.
PlatformView::Route by_pairs(const GpuPlatform& of, std::uint32_t one, std::uint32_t other) {
  const auto route = [&](double hops, std::uint32_t cables) {
    return PlatformView::Route{of.inner_s * (1 + hops) / 2,
                               std::min(of.inner_bytes_per_s * cables, of.memory_bytes_per_s)};
  };
  if (const std::uint32_t cables = cables_between(of.inner, one, other); cables > 0) {
    return route(1, cables);
  }
  std::uint32_t widest = 0;
  for (std::uint32_t between = 0; between < of.gpus; ++between) {
    widest = std::max(widest, std::min(cables_between(of.inner, one, between),
                                       cables_between(of.inner, between, other)));
  }
  return route(2, widest);
}

// The figures of a route, from the description alone.
PlatformView::Route by_hand(const GpuPlatform& of, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t node = from / of.gpus;
  const std::uint32_t other = to / of.gpus;
  const std::uint32_t gpu = from % of.gpus;
  const std::uint32_t other_gpu = to % of.gpus;
  if (from == to) {
    return {of.inner_s / 2, of.memory_bytes_per_s};
  }
  if (node == other) {
    return of.inner == "switch" || of.inner == "mesh"
               ? PlatformView::Route{of.inner_s,
                                     std::min(of.inner_bytes_per_s, of.memory_bytes_per_s)}
               : by_pairs(of, gpu, other_gpu);
  }
  const std::uint32_t share = of.gpus / of.cards;
  const double share_of_planes = static_cast<double>(of.planes - of.lost_planes) / of.planes;
  PlatformView::Route route{2 * of.card_s + of.switch_s,
                            std::min(share_of_planes * of.card_bytes_per_s, of.pcie_bytes_per_s)};
  const auto cross = [&](double latency_s, double bytes_per_s) {
    route.latency_s += latency_s;
    route.bandwidth_bytes_per_s =
        std::min(route.bandwidth_bytes_per_s, share_of_planes * bytes_per_s);
  };
  if (node / of.unit != other / of.unit) {
    cross(2 * of.switch_s, of.trunk_bytes_per_s);
    if (of.fabric == GpuFabric::dragonfly) {
      cross(of.pair_s, of.pair_bytes_per_s);
    }
  }
  if (of.pod > 0 && node / of.pod != other / of.pod) {
    cross(2 * of.switch_s, of.pod_bytes_per_s);
  }
  if (of.fabric == GpuFabric::rail && gpu / share != other_gpu / share) {
    route.latency_s += of.inner_s / 2;
    route.bandwidth_bytes_per_s = std::min(route.bandwidth_bytes_per_s, of.inner_bytes_per_s);
  }
  return route;
}

std::shared_ptr<const ClusterPlatform> read(const std::string& xml) {
  return read_cluster_text(xml, "gpus.xml");
}

void check_formulas(const GpuPlatform& made, Random& random, bool listed, int pairs) {
  const std::string xml = to_xml(made);
  CAPTURE(xml);
  const auto platform = read(listed ? xml : only_description(xml));
  REQUIRE(platform != nullptr);
  REQUIRE(platform->host_count() == made.hosts());
  for (int pair = 0; pair < pairs; ++pair) {
    const std::uint32_t from = random(0, made.hosts() - 1);
    const std::uint32_t to = random(0, made.hosts() - 1);
    CAPTURE(from, to);
    const PlatformView::Route wanted = by_hand(made, from, to);
    const PlatformView::Route found = platform->route(from, to);
    REQUIRE(found.latency_s == Approx(wanted.latency_s).epsilon(1e-12));
    REQUIRE(found.bandwidth_bytes_per_s == Approx(wanted.bandwidth_bytes_per_s).epsilon(1e-12));
  }
}

std::vector<std::string> links_by_name(const ClusterPlatform& platform, std::uint32_t from,
                                       std::uint32_t to) {
  std::vector<std::string> names;
  for (const std::uint32_t link : platform.links_between(from, to)) {
    names.push_back(platform.link_name(link));
  }
  return names;
}

GpuPlatform small() {
  Random random(1);
  GpuPlatform made = random_gpus(random, 64);
  made.nodes = 4;
  made.gpus = made.cards = 4;
  made.unit = 2;
  made.inner = "switch";
  made.fabric = GpuFabric::rail;
  made.pod = 0;
  made.rail_of_receiver = true;
  made.planes = 1;
  made.lost_planes = 0;
  return made;
}

}  // namespace

TEST_CASE("latencies and bandwidths of GPUs equal formulas") {
  Random random(20261201);
  for (int i = 0; i < 100; ++i) {
    check_formulas(random_gpus(random, 256), random, i % 2 == 0, 40);
  }
}

TEST_CASE("latencies and bandwidths of all known GPUs equal formulas") {
  Random random(20261206);
  for (const GpuPreset& preset : gpu_presets()) {
    for (int i = 0; i < 4 && !preset.torus; ++i) {
      CAPTURE(preset.name);
      check_formulas(known_gpus(preset, random, 512), random, i % 2 == 0, 250);
    }
  }
}

TEST_CASE("data change to the receiver's rail in the sender's node, or in the receiver's") {
  GpuPlatform made = small();
  using Names = std::vector<std::string>;
  CHECK(links_by_name(*read(to_xml(made)), 1, 4 * 3 + 2) ==
        Names{"node-0-gpu-1_up", "node-0-gpu-2_down", "node-0-gpu-2_pcie_out", "node-0-card-2_out",
              "unit-0-leaf-2_up", "unit-1-leaf-2_down", "node-3-card-2_in",
              "node-3-gpu-2_pcie_in"});
  made.rail_of_receiver = false;
  CHECK(links_by_name(*read(to_xml(made)), 1, 4 * 3 + 2) ==
        Names{"node-0-gpu-1_pcie_out", "node-0-card-1_out", "unit-0-leaf-1_up",
              "unit-1-leaf-1_down", "node-3-card-1_in", "node-3-gpu-1_pcie_in", "node-3-gpu-1_up",
              "node-3-gpu-2_down"});
  made.fabric = GpuFabric::tree;
  made.cards = 2;
  CHECK(links_by_name(*read(to_xml(made)), 1, 4 + 2) ==
        Names{"node-0-gpu-1_pcie_out", "node-0-card-0_out", "node-1-card-1_in",
              "node-1-gpu-2_pcie_in"});
  CHECK(links_by_name(*read(to_xml(made)), 1, 2) ==
        Names{"node-0-gpu-1_up", "node-0-gpu-2_down", "node-0-gpu-2_loopback"});
}

TEST_CASE("routes between units, pods and groups cross the links of their levels") {
  using Names = std::vector<std::string>;
  GpuPlatform made = small();
  made.nodes = 8;
  made.pod = 4;
  CHECK(links_by_name(*read(to_xml(made)), 1, 4 * 7 + 1) ==
        Names{"node-0-gpu-1_pcie_out", "node-0-card-1_out", "unit-0-leaf-1_up", "pod-0-spine-1_up",
              "pod-1-spine-1_down", "unit-3-leaf-1_down", "node-7-card-1_in",
              "node-7-gpu-1_pcie_in"});
  CHECK(links_by_name(*read(to_xml(made)), 1, 4 * 2 + 1).size() == 6);
  made.pod = 0;
  made.fabric = GpuFabric::dragonfly;
  for (const auto& [from, to] : {std::pair{0U, 3U}, std::pair{3U, 0U}, std::pair{1U, 2U}}) {
    const std::string unit = "unit-" + std::to_string(from);
    const std::string other = "unit-" + std::to_string(to);
    const Names names = links_by_name(*read(to_xml(made)), from * 8 + 1, to * 8 + 5);
    CHECK(Names(names.begin() + 2, names.end() - 2) ==
          Names{unit + "-leaf-0_up", unit + "-to-" + other, other + "-leaf-0_down"});
  }
}

TEST_CASE("each link of a route begins where the one before it ends") {
  Random random(20261204);
  for (int i = 0; i < 60; ++i) {
    const GpuPlatform made = random_gpus(random, 96);
    const auto platform = read(only_description(to_xml(made)));
    const PlatformShape shape = platform->shape();
    REQUIRE(shape.link_ends);
    for (int pair = 0; pair < 40; ++pair) {
      const std::uint32_t from = random(0, made.hosts() - 1);
      const std::uint32_t to = random(0, made.hosts() - 1);
      std::string at = "GPU " + std::to_string(from % made.gpus) + " of node " +
                       std::to_string(from / made.gpus);
      for (const std::uint32_t link : platform->links_between(from, to)) {
        const LinkEnds ends = shape.link_ends(link);
        CAPTURE(platform->link_name(link), from, to);
        REQUIRE(ends.from.name == at);
        at = ends.to.name;
        REQUIRE((ends.to.level <= 1) == (ends.to.group != NetworkNode::kNoGroup));
      }
      REQUIRE(at == "GPU " + std::to_string(to % made.gpus) + " of node " +
                        std::to_string(to / made.gpus));
    }
  }
}

TEST_CASE("a node is at a switch, and a unit is a group") {
  const auto platform = read(to_xml(small()));
  CHECK(platform->leaf_of_hosts() ==
        std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
  CHECK(platform->group_of_hosts() ==
        std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1});
}

TEST_CASE("a million GPUs are read from their description") {
  GpuPlatform made = small();
  made.nodes = 131072;
  made.gpus = made.cards = 8;
  const std::string xml = to_xml(made);
  CHECK(xml.size() < 4096);
  const auto platform = read(xml);
  REQUIRE(platform != nullptr);
  CHECK(platform->host_count() == 1U << 20U);
  CHECK(platform->host_name((1U << 20U) - 1) == "node-131071-gpu-7");
  const PlatformView::Route wanted = by_hand(made, 3, (1U << 20U) - 1);
  CHECK(platform->route(3, (1U << 20U) - 1).latency_s == Approx(wanted.latency_s));
}

TEST_CASE("all presets are valid, and their reductions are faster than their links") {
  for (const GpuPreset& preset : gpu_presets()) {
    CAPTURE(preset.name);
    CHECK(preset.inner_bytes_per_s < preset.wire_bytes_per_s);
    CHECK(preset.memory_bytes_per_s / 3 > preset.inner_bytes_per_s);
    if (preset.torus) {
      continue;
    }
    GpuPlatform made = small();
    made.gpus = preset.gpus;
    made.cards = preset.cards;
    made.inner = preset.inner;
    made.fabric = preset.rails ? GpuFabric::rail : GpuFabric::tree;
    CHECK_NOTHROW(check(made));
  }
}

TEST_CASE("files that were edited are left to SimGrid") {
  const std::string xml = to_xml(small());
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"<link id=\"node-1-card-1_out\" bandwidth=\"",
            "<link id=\"node-1-card-1_out\" bandwidth=\"1"},
           {"<host id=\"node-1-gpu-1\" speed=\"", "<host id=\"node-1-gpu-1\" speed=\"1"},
           {"<link_ctn id=\"node-2-gpu-1_pcie_out\"/>", ""},
           {"gpu:nodes\" value=\"4", "gpu:nodes\" value=\"6"}}) {
    std::string changed = xml;
    const std::size_t at = changed.find(from);
    REQUIRE(at != std::string::npos);
    CAPTURE(from);
    CHECK(read(changed.replace(at, from.size(), to)) == nullptr);
  }
  CHECK(read("<!-- a comment -->" + xml.substr(xml.find("<platform"))) != nullptr);
}

TEST_CASE("impossible clusters of GPUs are refused") {
  const auto refusal = [](auto&& change) {
    GpuPlatform made = small();
    change(made);
    return message_of([&] { check(made); });
  };
  using Catch::Contains;
  CHECK(refusal([](GpuPlatform&) {}).empty());
  CHECK_THAT(refusal([](GpuPlatform& of) { of.cards = 5; }),
             Contains("more cards than the 4 GPUs"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.cards = 3; }), Contains("divided evenly among its"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.cards = 0; }), Contains("cannot reach each other"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.unit = 3; }), Contains("--unit 3: the 4 nodes"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.unit = 0; }), Contains("--unit 0"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.nodes = 1U << 19U; }), Contains("1048576"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.pod = 3; }), Contains("--pod 3: the 4 nodes"));
  CHECK_THAT(refusal([](GpuPlatform& of) {
               of.pod = 2;
               of.fabric = GpuFabric::dragonfly;
             }),
             Contains("a dragonfly has no pods"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.planes = 0; }), Contains("--planes 0"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.lost_planes = 1; }),
             Contains("at least one must be left"));
  CHECK_THAT(refusal([](GpuPlatform& of) {
               of.nodes = 1024;
               of.gpus = of.cards = 1024;
               of.inner = "mesh";
             }),
             Contains("at most 16777216 are possible"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.inner = "ring"; }),
             Contains("expected switch, mesh"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.inner = "0-1,1-0"; }), Contains("occurs twice"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.inner = "0-1,1-4"; }), Contains("GPUs 0 to 3"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.inner = "0-1,2-3"; }), Contains("not joined"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.inner = "0-1,1-2,2-3"; }), Contains("3 links apart"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.inner = "0-1,0-2,0-3"; }), Contains("--fabric tree"));
  CHECK_THAT(refusal([](GpuPlatform& of) { of.card_bytes_per_s = 0; }), Contains("--card-bw is 0"));
}

}  // namespace tutti::test_gpu_platforms
