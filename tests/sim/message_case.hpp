// Runs a message model on a small network. The times can be computed by hand, because all times (in
// seconds) and sizes (in bytes) are small numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/cluster_file.hpp"
#include "platforms/fat_tree.hpp"
#include "sim/flow/flow_engine.hpp"
#include "sim/messages/message_network.hpp"

namespace tutti {

// Latency in seconds and bandwidth in bytes/s of a route through one switch.
inline constexpr double kStarLatency = 2;
inline constexpr double kStarBandwidth = 10;

inline std::unique_ptr<Network> star_of(std::uint32_t hosts) {
  return std::make_unique<CrossbarNetwork>(Crossbar{.hosts = hosts,
                                                    .latency_s = kStarLatency,
                                                    .bandwidth_bytes_per_s = kStarBandwidth,
                                                    .speed_flops_per_s = 1});
}

// Returns a network of two leaf switches with two hosts each, and one link from each leaf switch to
// the top switch. A latency of 0 must be inserted into the XML, because to_xml() refuses it.
inline std::unique_ptr<Network> two_leaves(double latency_s = kStarLatency / 2) {
  const FatTree tree{
      .down = {2, 2},
      .up = {1, 1},
      .cables = {1, 1},
      .link = {.latency_s = latency_s > 0 ? latency_s : 1, .bandwidth_bytes_per_s = kStarBandwidth},
      .node = {.speed_flops_per_s = 1, .cores = 1, .loopback = {}},
  };
  std::string xml = to_xml(tree);
  if (latency_s == 0) {
    constexpr std::string_view kLatency = "lat=\"1s\"";
    xml.replace(xml.find(kLatency), kLatency.size(), "lat=\"0s\"");
  }
  return read_cluster_text(xml, "two_leaves.xml")->network(4, "hockney");
}

// A message model, and the number of ranks on each host; consecutive ranks share a host. Reducing a
// byte takes one second.
struct MessageCase {
  MessageModel model;
  std::uint32_t ranks_per_host = 1;
  double nearest_latency_s = kStarLatency;

  [[nodiscard]] RunSetup setup() const {
    RunSetup setup;
    setup.ports = static_cast<std::uint32_t>(model.under_way);
    setup.eager_bytes = static_cast<std::int64_t>(model.eager_bytes);
    setup.eager_takes_ports = false;
    return setup;
  }
  [[nodiscard]] FlowSetup places(std::uint32_t ranks) const {
    FlowSetup places;
    places.flops_per_byte = 1;
    for (Rank rank = 0; rank < ranks; ++rank) {
      places.host_of_rank.push_back(rank / ranks_per_host);
    }
    return places;
  }
  [[nodiscard]] Timeline run(const Schedule& schedule, std::shared_ptr<Network> platform) const {
    const FlowSetup where = places(schedule.ranks());
    MessageNetwork network(std::move(platform), where.host_of_rank, model, nearest_latency_s);
    return FlowEngine(network, where).run(schedule, setup());
  }
  // Runs on a star with as many hosts as the ranks need.
  [[nodiscard]] Timeline run(const Schedule& schedule) const {
    return run(schedule, star_of((schedule.ranks() + ranks_per_host - 1) / ranks_per_host));
  }
};

}  // namespace tutti
