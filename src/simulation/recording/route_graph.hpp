// Derives the nodes of a network, which are its hosts and switches, from its routes.
//
// Most platforms tell which links a route crosses, but not which nodes a link connects. Routes are
// enough to derive the nodes: two consecutive links of a route meet at a node, and routes begin and
// end at hosts. A link that messages cross in both directions (not split duplex) is oriented to fit
// what is known about its ends. The two links of a split-duplex cable connect the same nodes, even
// if no route uses both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "platforms/link_ends.hpp"

namespace tutti { inline namespace simulation {

struct NodesOfLinks {
  // Indices of nodes.
  struct Ends {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  std::vector<NetworkNode> nodes;  // first the hosts, then the switches
  std::vector<Ends> ends;          // by link
};

// Returns the nodes of links whose ends are known. All hosts 0 to `hosts` - 1, and those at the
// ends of the links, become nodes.
[[nodiscard]] NodesOfLinks nodes_of_known_links(std::uint32_t hosts,
                                                const std::vector<LinkEnds>& links);

class RouteGraph {
 public:
  // `hosts`: number of hosts. All of them become nodes.
  explicit RouteGraph(std::uint32_t hosts);

  // Adds the route from host `src` to host `dst`, which crosses the links of `route` in this order.
  void add_route(std::uint32_t src, std::uint32_t dst, std::span<const std::uint32_t> route);

  // Adds a cable whose two links carry messages in opposite directions. All routes must have been
  // added. Has no effect if that would make two hosts, or the two ends of a link, one node.
  void add_cable(std::uint32_t link, std::uint32_t opposite);

  // Returns the nodes, and the ends of the links 0 to `links` - 1. Only these links count for the
  // levels and names of switches. `hosts_per_group`: 0 if the network has no groups.
  [[nodiscard]] NodesOfLinks nodes_of_links(std::uint32_t links, std::uint32_t hosts_per_group);

 private:
  // A point is a host or an end of a link. Points of the same node are merged (union-find).
  [[nodiscard]] std::uint32_t start_of(std::uint32_t link) const { return hosts_ + 2 * link; }
  [[nodiscard]] std::uint32_t end_of(std::uint32_t link) const { return hosts_ + 2 * link + 1; }
  void grow(std::uint32_t links);
  [[nodiscard]] std::uint32_t find(std::uint32_t point);
  [[nodiscard]] bool same(std::uint32_t a, std::uint32_t b) { return find(a) == find(b); }
  void join(std::uint32_t a, std::uint32_t b) { above_[find(a)] = find(b); }
  // Returns the host at a point; nothing if there is none.
  [[nodiscard]] std::optional<std::uint32_t> host_at(std::uint32_t point);
  [[nodiscard]] bool is_turned(std::uint32_t link, std::uint32_t at, std::uint32_t until);

  std::uint32_t hosts_;
  std::vector<std::uint32_t> above_;     // by point
  std::vector<bool> crossed_;            // by link
  std::vector<std::uint32_t> hosts_at_;  // by point that represents others: its host, or hosts_
};

}}  // namespace tutti::simulation
