// Random clusters of all topologies, for tests.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/dragonfly.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/grouped.hpp"
#include "platforms/single_switch.hpp"
#include "platforms/torus.hpp"
#include "tests/platforms/gpu_platforms.hpp"

namespace tutti::random_clusters {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint32_t operator()(std::uint32_t from, std::uint32_t to) {
    return from + static_cast<std::uint32_t>(engine_() % (to - from + 1));
  }
  LinkFigures figures() {
    return {.latency_s = 1e-7 * (*this)(1, 5), .bandwidth_bytes_per_s = 1e9 * (*this)(1, 9)};
  }

 private:
  std::mt19937_64 engine_;
};

// True if two ranks may be on the same host.
inline bool has_own_routes(Network& network) {
  try {
    (void)network.route(0, 0);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

inline std::string replaced(std::string text, const std::string& old, const std::string& by) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
    text.replace(at, old.size(), by);
    at += by.size();
  }
  return text;
}

inline std::string random_grouped(Random& random) {
  GroupedPlatform platform;
  platform.kind = "test";
  const std::uint32_t groups = random(1, 4);
  platform.groups = numbered_groups("test", groups, random(1, 4), random(1, 4));
  platform.cable = random.figures();
  platform.trunk = random.figures();
  if (random(0, 2) != 0) {
    platform.pair = random.figures();
  }
  if (!platform.pair || random(0, 1) == 0) {
    platform.out = random.figures();
  }
  platform.node.loopback = random.figures();
  return to_xml(platform);
}

inline std::string random_xml(Random& random, std::uint32_t kind) {
  switch (kind) {
    case 0: {
      FatTree tree;
      const std::uint32_t levels = random(1, 3);
      for (std::uint32_t level = 0; level < levels; ++level) {
        tree.down.push_back(random(1, 4));
        tree.up.push_back(level == 0 && random(0, 3) != 0 ? 1 : random(1, 3));
        tree.cables.push_back(level == 0 && random(0, 3) != 0 ? 1 : random(1, 3));
      }
      tree.link = random.figures();
      return to_xml(tree);
    }
    case 1: {
      Torus torus;
      for (std::uint32_t i = random(1, 3); i > 0; --i) {
        torus.dims.push_back(random(2, 4));
      }
      torus.link = random.figures();
      return to_xml(torus);
    }
    case 2: {
      Dragonfly dragonfly;
      dragonfly.groups = random(1, 4);
      dragonfly.chassis = random(1, 3);
      dragonfly.routers = random(dragonfly.groups, 5);
      dragonfly.nodes = random(1, 4);
      dragonfly.link = random.figures();
      return to_xml(dragonfly);
    }
    case 3:
      return random_grouped(random);
    case 4: {
      route_differences::Random own(random(0, 1U << 30U));
      return to_xml(gpu_platforms::random_gpus(own, 48));
    }
    default: {
      SingleSwitch around;
      around.hosts = random(1, 12);
      around.route = random.figures();
      around.node.cores = random(2, 4);
      std::string xml = smp_to_xml(around);
      return random(0, 3) == 0
                 ? replaced(std::move(xml), "<cluster ", "<cluster bb_bw=\"3GBps\" bb_lat=\"1us\" ")
                 : xml;
    }
  }
}

inline constexpr std::uint32_t kKindsOfClusters = 6;

// Returns a small cluster of one kind. Some have a link or a host that differs from the others.
inline ClusterPlatform random_cluster(Random& random, std::uint32_t kind) {
  std::string xml = random_xml(random, kind);
  if (kind != 3 && kind != 4 && random(0, 3) == 0) {
    xml = replaced(std::move(xml), "SPLITDUPLEX", "SHARED");
  }
  ClusterPlatform platform = *read_cluster_text(xml, "random.xml");
  if (random(0, 2) == 0) {
    PlatformChanges changes;
    LinkChange& link = changes.links.emplace_back();
    link.which = platform.link_name(random(0, platform.link_count() - 1));
    link.bandwidth = 0.5;
    link.latency = random(1, 2);
    if (random(0, 1) == 0) {
      HostChange& host = changes.hosts.emplace_back();
      host.which = std::to_string(random(0, platform.host_count() - 1));
      host.speed = 0.5;
    }
    platform.change(changes, {});
  }
  return platform;
}

}  // namespace tutti::random_clusters
