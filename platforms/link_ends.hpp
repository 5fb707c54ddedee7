// The nodes of a network, which are its hosts and switches, and the nodes that a link joins.
#pragma once

#include <cstdint>
#include <string>

namespace tutti { inline namespace platforms {

struct NetworkNode {
  std::string name;         // "host 3", "switch of hosts 0-7", "switch 2 of hosts 0-127"
  std::uint32_t host = 0;   // the host's number; kNoHost: the node is a switch
  std::uint32_t level = 0;  // number of links between the node and the nearest host
  // Nodes that belong together, such as a dragonfly's group; kNoGroup in networks without groups.
  std::uint32_t group = 0;

  static constexpr std::uint32_t kNoHost = 0xffffffffU;
  static constexpr std::uint32_t kNoGroup = 0xffffffffU;
};

struct LinkEnds {
  NetworkNode from;
  NetworkNode to;
};

}}  // namespace tutti::platforms
