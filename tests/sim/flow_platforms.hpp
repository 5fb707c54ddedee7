// Defines the platforms on which the flow engine is compared with SimGrid. They cover every
// topology, and have unusual bandwidths, latencies and speeds, so that times do not agree by
// chance.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "platforms/dragonfly.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/torus.hpp"
#include "sim/simgrid/isolated_run.hpp"

namespace tutti {

// A platform file in the working directory; the destructor removes it.
class PlatformFile {
 public:
  PlatformFile(const std::string& name, const std::string& xml)
      : path_(fmt::format("{}_{}.xml", name, getpid())) {
    std::ofstream(path_) << xml;
  }
  ~PlatformFile() { (void)unlink(path_.c_str()); }
  PlatformFile(const PlatformFile&) = delete;
  PlatformFile& operator=(const PlatformFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string platform_xml(const std::string& content) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         content + "</platform>\n";
}

struct FlowPlatform {
  std::string name;
  std::string xml;  // if empty, the platform is a crossbar generated in memory
  std::uint32_t ranks_per_host = 1;
};

inline std::string backbone_xml(const std::string& policies) {
  return platform_xml(
      fmt::format("<cluster id=\"c\" prefix=\"n-\" suffix=\"\" radical=\"0-32\" speed=\"0.41Gf\" "
                  "bw=\"1.07GBps\" lat=\"0.7us\" bb_bw=\"3.3GBps\" bb_lat=\"0.9us\" {}/>\n",
                  policies));
}

// Returns a platform file with twelve hosts around a backbone. There are three kinds of hosts and
// four kinds of links, so that routes differ in latency and bandwidth, and hosts differ in speed
// and cores.
inline std::string nodes_xml(const std::string& backbone_policy) {
  constexpr int kHosts = 12;
  std::string text = "<zone id=\"z\" routing=\"Full\">\n";
  for (int i = 0; i < kHosts; ++i) {
    text += fmt::format("<host id=\"h{}\" speed=\"{}Gf\" core=\"{}\"/>\n", i, 0.3 + 0.17 * (i % 3),
                        1 + i % 3);
  }
  for (int i = 0; i < kHosts; ++i) {
    for (const char* way : {"up", "down"}) {
      text += fmt::format("<link id=\"{}{}\" bandwidth=\"{}GBps\" latency=\"{}us\"/>\n", way, i,
                          1.07 + 0.31 * (i % 4), 0.7 + 0.43 * (i % 4));
    }
  }
  text += fmt::format(
      "<link id=\"bb\" bandwidth=\"2.9GBps\" latency=\"0.37us\" sharing_policy=\"{}\"/>\n",
      backbone_policy);
  for (int i = 0; i < kHosts; ++i) {
    for (int j = 0; j < kHosts; ++j) {
      if (i == j) {
        continue;
      }
      text += fmt::format("<route src=\"h{}\" dst=\"h{}\" symmetrical=\"NO\">", i, j);
      text += fmt::format("<link_ctn id=\"up{}\"/><link_ctn id=\"bb\"/><link_ctn id=\"down{}\"/>",
                          i, j);
      text += "</route>\n";
    }
  }
  return platform_xml(text + "</zone>\n");
}

inline std::vector<FlowPlatform> flow_platforms() {
  const LinkFigures link{.latency_s = 0.53e-6, .bandwidth_bytes_per_s = 1.07e9};
  const NodeFigures node{.speed_flops_per_s = 0.41e9, .cores = 1, .loopback = {}};
  NodeFigures smp_node{.speed_flops_per_s = 0.41e9, .cores = 2, .loopback = {}};
  smp_node.loopback = LinkFigures{.latency_s = 0.31e-6, .bandwidth_bytes_per_s = 4.1e9};
  Torus torus;
  torus.dims = {4, 3, 3};
  torus.link = link;
  torus.node = node;
  Dragonfly dragonfly;
  dragonfly.groups = 3;
  dragonfly.chassis = 2;
  dragonfly.routers = 3;
  dragonfly.nodes = 2;
  dragonfly.link = link;
  dragonfly.node = node;
  FatTree tree;
  tree.down = {6, 3};
  tree.up = {1, 2};
  tree.cables = {1, 1};
  tree.link = link;
  tree.node = smp_node;
  return {
      {"crossbar", "", 1},
      {"backbone", backbone_xml("sharing_policy=\"SPLITDUPLEX\""), 1},
      {"half_duplex", backbone_xml("sharing_policy=\"SHARED\" bb_sharing_policy=\"FATPIPE\""), 1},
      {"fat_tree", to_xml(tree), 2},
      {"torus", to_xml(torus), 1},
      {"dragonfly", to_xml(dragonfly), 1},
      {"nodes", nodes_xml("SHARED"), 3},
      {"nodes_fatpipe", nodes_xml("FATPIPE"), 3},
  };
}

}  // namespace tutti
