// Draws random platforms of every kind that the engines model: clusters with and without backbone,
// limiter, loopback and several cores; zones with random routes over shared links and fat pipes,
// some of them without latency; clusters in clusters; tori, dragonflies and fat trees; clusters of
// GPUs. A third of the platforms has round numbers as bandwidths and latencies, which cause ties,
// and a third has fractions of round numbers, which cause ties up to rounding.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "tests/platforms/gpu_platforms.hpp"
#include "tests/sim/flow_platforms.hpp"

namespace tutti {

struct RandomPlatform {
  std::string kind;
  std::string xml;
  std::uint32_t hosts = 0;
  bool to_itself = true;  // true if there is a route from each host to itself
};

class PlatformDice {
 public:
  explicit PlatformDice(std::uint64_t seed)
      : random_(seed), figures_(static_cast<Figures>(below(3))) {}

  RandomPlatform roll() {
    switch (below(9)) {
      case 0:
      case 1:
        return cluster();
      case 2:
      case 3:
        return zone();
      case 4:
        return joined_clusters();
      case 5:
        return torus();
      case 6:
        return dragonfly();
      case 7:
        return gpus();
      default:
        return fat_tree();
    }
  }

 private:
  enum class Figures : std::uint8_t { round, fractions, any };

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  template <typename T, std::size_t kSize>
  const T& one_of(const T (&values)[kSize]) {
    return values[random_() % kSize];
  }

  double divisor() { return figures_ == Figures::fractions ? one_of({1.0, 3.0, 3.0, 7.0}) : 1.0; }
  double bytes_per_s() {
    return figures_ == Figures::any ? between(1e8, 5e9)
                                    : one_of({1.25e8, 1e9, 1e9, 1.25e9, 2e9, 1e10}) / divisor();
  }
  double latency_s() {
    return figures_ == Figures::any ? between(1e-7, 5e-6)
                                    : one_of({5e-7, 1e-6, 1e-6, 2e-6, 1e-5}) / divisor();
  }
  double flops_per_s() {
    return figures_ == Figures::any ? between(2e8, 3e9) : one_of({1e9, 1e9, 2e9}) / divisor();
  }
  std::uint32_t cores() { return below(2) == 0 ? 1 : 1 + below(4); }

  LinkFigures link() { return {.latency_s = latency_s(), .bandwidth_bytes_per_s = bytes_per_s()}; }
  // Returns random figures for a host. It always has a loopback, because a host of a torus,
  // dragonfly or fat tree has no other route to itself.
  NodeFigures node() {
    NodeFigures figures{.speed_flops_per_s = flops_per_s(), .cores = cores(), .loopback = {}};
    figures.loopback = link();
    return figures;
  }

  std::string cluster_tag(const std::string& name, std::uint32_t hosts, const std::string& more) {
    std::string text = fmt::format(
        "<cluster id=\"{}\" prefix=\"{}-\" suffix=\"\" radical=\"0-{}\" speed=\"{}f\" core=\"{}\" "
        "bw=\"{}Bps\" lat=\"{}s\" sharing_policy=\"{}\"",
        name, name, hosts - 1, flops_per_s(), cores(), bytes_per_s(),
        below(8) == 0 ? 0.0 : latency_s(), one_of({"SPLITDUPLEX", "SPLITDUPLEX", "SHARED"}));
    if (below(2) == 0) {
      text += fmt::format(" bb_bw=\"{}Bps\" bb_lat=\"{}s\" bb_sharing_policy=\"{}\"", bytes_per_s(),
                          below(3) == 0 ? 0.0 : latency_s(), one_of({"SHARED", "FATPIPE"}));
    }
    if (below(3) == 0) {
      text += fmt::format(" limiter_link=\"{}Bps\"", bytes_per_s());
    }
    if (below(2) == 0) {
      text +=
          fmt::format(" loopback_bw=\"{}Bps\" loopback_lat=\"{}s\"", bytes_per_s(), latency_s());
    }
    return text + more + "/>\n";
  }

  RandomPlatform cluster() {
    const std::uint32_t hosts = 2 + below(15);
    return {"cluster", platform_xml(cluster_tag("c", hosts, "")), hosts};
  }

  RandomPlatform joined_clusters() {
    const std::uint32_t left = 2 + below(6);
    const std::uint32_t right = 2 + below(6);
    std::string text = "<zone id=\"z\" routing=\"Full\">\n";
    text += cluster_tag("a", left, " router_id=\"ra\"");
    text += cluster_tag("b", right, " router_id=\"rb\"");
    text += fmt::format(
        "<link id=\"bone\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"{}\"/>\n",
        bytes_per_s(), below(3) == 0 ? 0.0 : latency_s(), one_of({"SHARED", "FATPIPE"}));
    text +=
        "<zoneRoute src=\"a\" dst=\"b\" gw_src=\"ra\" gw_dst=\"rb\"><link_ctn id=\"bone\"/>"
        "</zoneRoute>\n</zone>\n";
    return {"joined clusters", platform_xml(text), left + right};
  }

  RandomPlatform zone() {
    const std::uint32_t hosts = 2 + below(7);
    const std::uint32_t links = 2 + below(2 * hosts);
    // Half of the zones may have fat pipes, and half may have links without latency.
    const bool fat = below(2) == 0;
    const bool instant = below(2) == 0;
    std::string text = "<zone id=\"z\" routing=\"Full\">\n";
    for (std::uint32_t i = 0; i < hosts; ++i) {
      text +=
          fmt::format("<host id=\"h{}\" speed=\"{}f\" core=\"{}\"/>\n", i, flops_per_s(), cores());
    }
    for (std::uint32_t i = 0; i < links; ++i) {
      text += fmt::format(
          "<link id=\"l{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"{}\"/>\n", i,
          bytes_per_s(), instant && below(3) == 0 ? 0.0 : latency_s(),
          fat && below(3) == 0 ? "FATPIPE" : "SHARED");
    }
    for (std::uint32_t from = 0; from < hosts; ++from) {
      for (std::uint32_t to = 0; to < hosts; ++to) {
        if (from == to) {
          continue;
        }
        text += fmt::format("<route src=\"h{}\" dst=\"h{}\" symmetrical=\"NO\">", from, to);
        for (std::uint32_t crossed = 1 + below(4); crossed > 0; --crossed) {
          // A route may cross the same link several times.
          text += fmt::format("<link_ctn id=\"l{}\"/>", below(links));
        }
        text += "</route>\n";
      }
    }
    return {"zone", platform_xml(text + "</zone>\n"), hosts};
  }

  RandomPlatform torus() {
    Torus torus;
    torus.dims = {2 + below(3), 2 + below(2)};
    if (below(2) == 0) {
      torus.dims.push_back(2);
    }
    torus.link = link();
    torus.node = node();
    std::uint32_t hosts = 1;
    for (const std::uint32_t side : torus.dims) {
      hosts *= side;
    }
    return {"torus", to_xml(torus), hosts};
  }

  RandomPlatform dragonfly() {
    Dragonfly dragonfly;
    dragonfly.groups = 1 + below(2);
    dragonfly.chassis = 1 + below(2);
    dragonfly.routers = 2 + below(2);
    dragonfly.nodes = 1 + below(2);
    dragonfly.group_cables = 1 + below(2);
    dragonfly.link = link();
    dragonfly.node = node();
    return {"dragonfly", to_xml(dragonfly),
            dragonfly.groups * dragonfly.chassis * dragonfly.routers * dragonfly.nodes};
  }

  RandomPlatform fat_tree() {
    FatTree tree;
    tree.down = {2 + below(3), 2 + below(3)};
    tree.up = {1, 1 + below(2)};
    tree.cables = {1, 1 + below(2)};
    tree.link = link();
    tree.node = node();
    return {"fat tree", to_xml(tree), tree.down[0] * tree.down[1]};
  }

  RandomPlatform gpus() {
    gpu_platforms::Random own(static_cast<std::uint32_t>(random_()));
    const GpuPlatform made = below(2) == 0 ? gpu_platforms::random_gpus(own, 64)
                                           : gpu_platforms::random_known_gpus(own, 64);
    return {"GPUs", to_xml(made), made.hosts()};
  }

  std::mt19937_64 random_;
  Figures figures_;
};

}  // namespace tutti
