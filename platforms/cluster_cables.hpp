// Kinds of links, the numbering of cables, and names of hosts and links, for all cluster
// topologies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti { inline namespace platforms {

// All links of the same kind have the same bandwidth and latency, unless the user changes
// individual links.
enum class ClusterLinkKind : std::uint8_t {
  cable,
  loopback,
  backbone,
  router,
  chassis,
  group,
  inner,  // between the GPUs of a node
  pcie,   // between a GPU and its network card
};
inline constexpr std::size_t kClusterLinkKinds = 8;

struct ClusterCables {
  std::uint32_t hosts = 0;
  std::uint32_t ways = 2;  // links per cable: 1, or 2 if split duplex
  bool loopback = false;   // true if each host has a link to itself

  [[nodiscard]] std::uint32_t up(std::uint32_t cable) const { return cable * ways; }
  [[nodiscard]] std::uint32_t down(std::uint32_t cable) const { return cable * ways + ways - 1; }
};

// The parts from which the names of hosts and links are composed.
struct ClusterNames {
  std::string id;
  std::string prefix;
  std::string suffix;
  std::vector<std::uint32_t> radicals;  // by host: the number in the host's name
  // Names of all hosts. Used instead of the four members above if the platform has hosts of several
  // clusters; otherwise empty.
  std::vector<std::string> of_hosts = {};
  // If not 0, hosts are the GPUs of nodes with this many each, and called "node-3-gpu-5".
  std::uint32_t gpus_of_node = 0;
  // If true, links of a star are called "node-5 up" and "node-5 down", as in CrossbarNetwork.
  bool as_crossbar = false;

  [[nodiscard]] std::string host(std::uint32_t index) const;
  [[nodiscard]] std::string own_link(std::uint32_t host) const;
};

}}  // namespace tutti::platforms
