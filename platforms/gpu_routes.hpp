// Routes of a cluster of GPUs, computed from its description without memory per pair of hosts. For
// files with routes (gpu_platform.hpp), they equal those of SimGrid 3.32; tests check this.
//
// The route to a GPU of the same node crosses the node, and ends with the memory of the receiving
// GPU, a fat pipe, over which a GPU also sends to itself. The route to another node leaves and
// enters over PCIe and a card, and does not cross that memory link. With it, the route over another
// rail than the chosen one, and each route over a third GPU, has a link more. So SimGrid, which
// takes the route with the fewest links, has only one to take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster_cables.hpp"
#include "platforms/gpu_platform.hpp"
#include "platforms/images.hpp"
#include "platforms/link_ends.hpp"
#include "platforms/link_place.hpp"
#include "platforms/platform_shape.hpp"

namespace tutti { inline namespace platforms {

// A partition of the hosts into groups of equal sizes with links of their own. Group g has the
// links from first_link + g * links on. Links in the same place of two groups correspond to each
// other.
struct GroupsWithLinks {
  std::uint32_t hosts = 1;  // of a group
  std::uint32_t first_link = 0;
  std::uint32_t links = 0;  // of a group
  // False: each two groups have other links between them, so no two groups can be exchanged.
  bool exchangeable = true;
};

// Links are numbered node by node: inner links, PCIe out and in of each GPU, out and in of each
// card, memory of each GPU. Up and down of the trunk of each leaf switch follow, then up and down
// of each pod (with rails, for each rail), then the links between groups of a dragonfly.
class GpuRoutes {
 public:
  explicit GpuRoutes(const GpuPlatform& platform);

  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const {
    return first_pair_ + (platform_.has_pairs() ? platform_.units() * (platform_.units() - 1) : 0);
  }
  [[nodiscard]] std::uint32_t longest() const { return kLongestBetween + inner_.longest; }
  [[nodiscard]] std::uint32_t hosts_per_switch() const { return platform_.gpus; }
  [[nodiscard]] static std::uint32_t alike_sources(std::uint32_t host) { return host; }
  // Returns the partitions of Network::exchangeable_groups(): nodes, units and pods.
  [[nodiscard]] std::vector<GroupsWithLinks> exchangeable_groups() const;
  // Returns the links of nodes that have none of the first `hosts` hosts.
  [[nodiscard]] LinkRange unused_links(std::uint32_t hosts) const {
    return {(hosts - 1) / platform_.gpus * links_of_node_ + links_of_node_, first_trunk_};
  }
  [[nodiscard]] std::uint32_t classes() const { return 1 + 4 * (inner_.longest + 1); }

  template <typename Add>
  std::uint32_t route(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from == to) {
      add(memory(from));
      return 0;
    }
    const std::uint32_t node = from / platform_.gpus;
    const std::uint32_t other_node = to / platform_.gpus;
    if (node == other_node) {
      const std::uint32_t crossed = cross(node, from % platform_.gpus, to % platform_.gpus, add);
      add(memory(to));
      return 1 + crossed;
    }
    std::uint32_t exit = from;
    std::uint32_t entry = to;
    std::uint32_t crossed = 0;
    if (platform_.has_rails() && platform_.rail_of_receiver) {
      exit = beside_card(from, card(to));
      crossed += exit == from ? 0 : cross(node, from % platform_.gpus, exit % platform_.gpus, add);
    } else if (platform_.has_rails()) {
      entry = beside_card(to, card(from));
    }
    add(pcie_out(exit));
    add(card_out(node, card(exit)));
    // Both leaves have the same number, because routes do not change rails between nodes.
    const std::uint32_t levels = rise(node, other_node, leaf_of_card(card(exit)), add);
    add(card_in(other_node, card(entry)));
    add(pcie_in(entry));
    if (entry != to) {
      crossed += cross(other_node, entry % platform_.gpus, to % platform_.gpus, add);
    }
    return 1 + (inner_.longest + 1) * (1 + levels) + crossed;
  }

  // Calls add(link) for the links of a route in the order in which SimGrid sums their latencies:
  // from the receiver to the sender.
  template <typename Add>
  void latencies(std::uint32_t from, std::uint32_t to, Add&& add) const {
    std::array<std::uint32_t, kMostLinks> links{};
    std::size_t count = 0;
    route(from, to, [&](std::uint32_t link) { links[count++] = link; });
    while (count > 0) {
      add(links[--count]);
    }
  }

  // Returns `inner`, `pcie`, `cable` for cards, `router` for trunks, `chassis` for pods, `group`
  // for links between groups, and `loopback` for memories.
  [[nodiscard]] ClusterLinkKind kind(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link, const ClusterNames&) const {
    return link_name(link);
  }
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  [[nodiscard]] bool is_between_switches(std::uint32_t link) const { return link >= first_trunk_; }
  [[nodiscard]] PlatformShape shape() const;
  [[nodiscard]] LinkEnds link_ends(std::uint32_t link) const;
  // See cluster_routes.hpp.
  [[nodiscard]] bool map_links(const Images& image_of, Images& links) const;
  // Returns the links that begin or end at the host, and its card if no other host uses that.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

  // The switches of nodes are vertices, numbered after the hosts. They are the only ones that
  // reduce, so that no switch is above them.
  [[nodiscard]] std::uint32_t switch_of_host(std::uint32_t host) const {
    return cables_.hosts + host / platform_.gpus;
  }
  // Throws UserError if the two switches are in different nodes.
  [[nodiscard]] std::uint32_t switch_above(std::uint32_t one, std::uint32_t other) const;
  [[nodiscard]] static std::optional<std::uint32_t> next_above(std::uint32_t) { return {}; }
  [[nodiscard]] std::string switch_name(std::uint32_t of) const;
  // Calls add(link) for each link on the route between a host and the switch of its node.
  template <typename Add>
  void route_of_switch(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from < cables_.hosts) {
      add(inner_link(from / platform_.gpus, 2 * (from % platform_.gpus)));
    } else {
      add(inner_link(to / platform_.gpus, 2 * (to % platform_.gpus) + 1));
      add(memory(to));
    }
  }

  // The following functions are for the writer of the file. Hosts, nodes, cards and leaf switches
  // have numbers; those of cards and leaf switches begin anew in each node or unit.
  [[nodiscard]] const GpuPlatform& platform() const { return platform_; }
  [[nodiscard]] const InnerNetwork& inner() const { return inner_; }
  // Returns the number of cables that the link stands for.
  [[nodiscard]] std::uint32_t cables_of(std::uint32_t link) const {
    return kind(link) == ClusterLinkKind::inner ? inner_.links[link % links_of_node_].cables : 1;
  }
  [[nodiscard]] std::uint32_t inner_link(std::uint32_t node, std::uint32_t link) const {
    return node * links_of_node_ + link;
  }
  [[nodiscard]] std::uint32_t card(std::uint32_t host) const {
    return host % platform_.gpus / gpus_of_card_;
  }
  [[nodiscard]] std::uint32_t leaf_of_card(std::uint32_t card) const {
    return platform_.has_rails() ? card : 0;
  }
  // Returns the host of the same node over which the host uses a card: the host itself if that is
  // its card.
  [[nodiscard]] std::uint32_t beside_card(std::uint32_t host, std::uint32_t other_card) const {
    const std::uint32_t gpu = host % platform_.gpus;
    return host - gpu + other_card * gpus_of_card_ + gpu % gpus_of_card_;
  }
  [[nodiscard]] std::uint32_t pcie_out(std::uint32_t host) const {
    return of_node(host) + first_pcie_ + 2 * (host % platform_.gpus);
  }
  [[nodiscard]] std::uint32_t pcie_in(std::uint32_t host) const { return pcie_out(host) + 1; }
  [[nodiscard]] std::uint32_t card_out(std::uint32_t node, std::uint32_t card) const {
    return node * links_of_node_ + first_card_ + 2 * card;
  }
  [[nodiscard]] std::uint32_t card_in(std::uint32_t node, std::uint32_t card) const {
    return card_out(node, card) + 1;
  }
  [[nodiscard]] std::uint32_t memory(std::uint32_t host) const {
    return of_node(host) + first_memory_ + host % platform_.gpus;
  }
  [[nodiscard]] std::uint32_t trunk_up(std::uint32_t unit, std::uint32_t leaf) const {
    return first_trunk_ + 2 * (unit * leaves_ + leaf);
  }
  [[nodiscard]] std::uint32_t trunk_down(std::uint32_t unit, std::uint32_t leaf) const {
    return trunk_up(unit, leaf) + 1;
  }
  [[nodiscard]] std::uint32_t pod_up(std::uint32_t pod, std::uint32_t leaf) const {
    return first_pod_ + 2 * (pod * leaves_ + leaf);
  }
  [[nodiscard]] std::uint32_t pod_down(std::uint32_t pod, std::uint32_t leaf) const {
    return pod_up(pod, leaf) + 1;
  }
  // Returns the link from one unit to another one of a dragonfly.
  [[nodiscard]] std::uint32_t between_groups(std::uint32_t unit, std::uint32_t other) const {
    return first_pair_ + unit * (platform_.units() - 1) + other - (other > unit ? 1 : 0);
  }
  // Calls add(link) for the links of the path between two GPUs of a node, and returns their number.
  template <typename Add>
  std::uint32_t cross(std::uint32_t node, std::uint32_t from, std::uint32_t to, Add&& add) const {
    const std::span<const std::uint32_t> path = path_between(from, to);
    for (const std::uint32_t link : path) {
      add(inner_link(node, link));
    }
    return static_cast<std::uint32_t>(path.size());
  }

 private:
  // Returns the inner links between two GPUs of a node.
  [[nodiscard]] std::span<const std::uint32_t> path_between(std::uint32_t from,
                                                            std::uint32_t to) const {
    const std::size_t pair = std::size_t{from} * platform_.gpus + to;
    return std::span(inner_.crossed)
        .subspan(inner_.first[pair], inner_.first[pair + 1] - inner_.first[pair]);
  }
  static constexpr std::uint32_t kLongestBetween = 8;
  static constexpr std::size_t kMostLinks = 10;

  // Calls add(link) for the links between the leaf switches of two nodes, and returns the number of
  // levels above them that the route reaches.
  template <typename Add>
  std::uint32_t rise(std::uint32_t node, std::uint32_t other_node, std::uint32_t leaf,
                     Add&& add) const {
    const std::uint32_t unit = node / platform_.unit;
    const std::uint32_t other_unit = other_node / platform_.unit;
    if (unit == other_unit) {
      return 0;
    }
    const bool leaves_pod =
        platform_.has_pods() && node / platform_.pod != other_node / platform_.pod;
    add(trunk_up(unit, leaf));
    if (leaves_pod) {
      add(pod_up(node / platform_.pod, leaf));
      add(pod_down(other_node / platform_.pod, leaf));
    } else if (platform_.has_pairs()) {
      add(between_groups(unit, other_unit));
    }
    add(trunk_down(other_unit, leaf));
    return leaves_pod ? 2 : 1;
  }

  // Returns the units that a link between groups joins.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> groups_of(std::uint32_t link) const;
  [[nodiscard]] LinkPlace place_between_nodes(std::uint32_t link) const;
  [[nodiscard]] NetworkNode leaf_node(std::uint32_t unit, std::uint32_t leaf) const;
  [[nodiscard]] LinkEnds ends_above_leaves(std::uint32_t link) const;
  [[nodiscard]] std::uint32_t of_node(std::uint32_t host) const {
    return host / platform_.gpus * links_of_node_;
  }
  GpuPlatform platform_;
  InnerNetwork inner_;
  ClusterCables cables_;
  std::uint32_t gpus_of_card_;
  std::uint32_t leaves_;  // of a unit
  std::uint32_t first_pcie_;
  std::uint32_t first_card_;
  std::uint32_t first_memory_;
  std::uint32_t links_of_node_;
  std::uint32_t first_trunk_;
  std::uint32_t first_pod_;
  std::uint32_t first_pair_;
};

}}  // namespace tutti::platforms
