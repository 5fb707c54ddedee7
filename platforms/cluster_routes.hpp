// The routes of a SimGrid <cluster>, computed from the cluster's parameters with a few additions
// per link and without memory per pair of hosts. The routes equal those of SimGrid 3.32 link by
// link, oddities included, because SimGrid defines the meaning of a platform. Tests compare these
// routes with SimGrid's.
//
// A cable has one link, or two if it is split duplex: up (with an even number) and down (with an
// odd number). Links are numbered cable by cable, followed by the loopbacks of the hosts.
//
// Each topology has route(from, to, add), which calls add(link) for each link in order, and returns
// the class of the route, a number below classes(). All routes of a class cross links of the same
// kinds in the same order. Two hosts have the same alike_sources() if they have one cable each, and
// if their routes to any third host differ only in this cable.
//
// map_links(image_of, links): image_of maps some hosts one to one onto themselves. If it is known
// to turn each route between these hosts into the route between their images, adds the images of
// all links on these routes to `links` and returns true. Otherwise returns false.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "platforms/cluster_cables.hpp"
#include "platforms/explicit_routes.hpp"
#include "platforms/gpu_routes.hpp"
#include "platforms/grouped_routes.hpp"
#include "platforms/images.hpp"
#include "platforms/link_place.hpp"
#include "platforms/platform_shape.hpp"

namespace tutti { inline namespace platforms {

// Hosts around a switch without contention, or around a backbone link if the cluster has one. Each
// host has one cable.
class StarRoutes {
 public:
  StarRoutes(const ClusterCables& cables, bool backbone) : cables_(cables), backbone_(backbone) {}

  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const {
    return first_loopback() + (cables_.loopback ? cables_.hosts : 0);
  }
  [[nodiscard]] static std::uint32_t longest() { return 3; }
  [[nodiscard]] std::uint32_t hosts_per_switch() const { return cables_.hosts; }
  [[nodiscard]] static std::uint32_t alike_sources(std::uint32_t) { return 0; }
  [[nodiscard]] static std::uint32_t classes() { return 3; }

  template <typename Add>
  std::uint32_t route(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from == to && cables_.loopback) {
      add(first_loopback() + from);
      return 0;
    }
    const std::uint32_t up = cables_.up(from);
    const std::uint32_t down = cables_.down(to);
    add(up);
    if (backbone_) {
      add(cables_.hosts * cables_.ways);
    }
    // If a cable has one link for both directions, a host's route to itself crosses this link
    // twice. Only in this topology, SimGrid counts the link once.
    if (up == down) {
      return 1;
    }
    add(down);
    return 2;
  }

  [[nodiscard]] ClusterLinkKind kind(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link, const ClusterNames& names) const;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  // As Network::is_between_switches(), here and in the other topologies, without text.
  [[nodiscard]] bool is_between_switches(std::uint32_t link) const {
    return kind(link) == ClusterLinkKind::backbone;
  }
  [[nodiscard]] static PlatformShape shape() { return {"star", {}, 0}; }
  [[nodiscard]] bool map_links(const Images& image_of, Images& links) const;
  // Returns the links that begin or end at the host, without duplicates.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

  // Returns the vertex number of the only switch, which follows the numbers of the hosts.
  [[nodiscard]] std::uint32_t switch_of_host(std::uint32_t) const { return cables_.hosts; }
  // Returns the lowest switch above two vertices. One of the two may be that switch.
  [[nodiscard]] std::uint32_t switch_above(std::uint32_t, std::uint32_t) const {
    return cables_.hosts;
  }
  [[nodiscard]] static std::optional<std::uint32_t> next_above(std::uint32_t) { return {}; }
  [[nodiscard]] std::string switch_name(std::uint32_t) const { return "the switch"; }
  // Calls add(link) for each link on the route between two vertices of which at least one is a
  // switch.
  template <typename Add>
  void route_of_switch(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from < cables_.hosts) {
      add(cables_.up(from));
    }
    if (to < cables_.hosts) {
      add(cables_.down(to));
    }
  }

 private:
  [[nodiscard]] std::uint32_t first_loopback() const {
    return cables_.hosts * cables_.ways + (backbone_ ? 1 : 0);
  }

  ClusterCables cables_;
  bool backbone_;
};

// Dimension-order routes: along the first dimension, then the second, and so on, each in the
// shorter direction. Each host owns one cable per dimension, which leads to the next host in that
// dimension.
class TorusRoutes {
 public:
  TorusRoutes(const ClusterCables& cables, std::vector<std::uint32_t> sides);

  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const {
    return first_loopback() + (cables_.loopback ? cables_.hosts : 0);
  }
  [[nodiscard]] std::uint32_t longest() const { return longest_; }
  [[nodiscard]] static std::uint32_t hosts_per_switch() { return 0; }  // a torus has no switches
  [[nodiscard]] static std::uint32_t alike_sources(std::uint32_t host) { return host; }
  [[nodiscard]] std::uint32_t classes() const { return longest_ + 2; }

  template <typename Add>
  std::uint32_t route(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from == to && cables_.loopback) {
      add(first_loopback() + from);
      return longest_ + 1;
    }
    const std::uint32_t dims = dimensions_;
    const std::uint32_t* const here = &places_[std::size_t{from} * dims];
    const std::uint32_t* const there = &places_[std::size_t{to} * dims];
    std::uint32_t crossed = 0;
    std::uint32_t at = from;
    std::uint32_t stride = 1;
    for (std::uint32_t dim = 0; dim < dims; ++dim) {
      const std::uint32_t side = sides_[dim];
      std::uint32_t place = here[dim];
      const std::uint32_t target = there[dim];
      if (place != target) {
        if (goes_up(place, target, side)) {
          do {
            add(cables_.up(at * dims + dim));
            ++crossed;
            const bool wraps = place + 1 == side;
            at = wraps ? at - place * stride : at + stride;
            place = wraps ? 0 : place + 1;
          } while (place != target);
        } else {
          do {
            const bool wraps = place == 0;
            at = wraps ? at + (side - 1) * stride : at - stride;
            place = wraps ? side - 1 : place - 1;
            add(cables_.down(at * dims + dim));
            ++crossed;
          } while (place != target);
        }
      }
      stride *= side;
    }
    return crossed;
  }

  [[nodiscard]] ClusterLinkKind kind(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link, const ClusterNames& names) const;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  [[nodiscard]] bool is_between_switches(std::uint32_t link) const {
    return kind(link) != ClusterLinkKind::loopback;
  }
  [[nodiscard]] PlatformShape shape() const { return {"torus", sides_, 0}; }
  [[nodiscard]] bool map_links(const Images& image_of, Images& links) const;
  // Returns the links that begin or end at the host, without duplicates.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

 private:
  struct CableEnds {
    std::uint32_t host;
    std::uint32_t next;
    std::uint32_t dimension;
  };
  [[nodiscard]] CableEnds cable_ends(std::uint32_t cable) const;
  [[nodiscard]] static bool goes_up(std::uint32_t place, std::uint32_t target, std::uint32_t side) {
    const std::uint32_t half = side / 2;
    return (target > place && target <= place + half) ||
           (place > half && (place + half) % side >= target);
  }
  [[nodiscard]] std::uint32_t first_loopback() const {
    return cables_.hosts * dimensions_ * cables_.ways;
  }

  ClusterCables cables_;
  std::vector<std::uint32_t> sides_;
  std::uint32_t dimensions_;
  std::uint32_t longest_ = 0;
  // Coordinates of the hosts, one per dimension, host by host.
  std::vector<std::uint32_t> places_;
};

// Routes lead up to the first switch above both hosts, then down. The destination selects the
// cables up (d-mod-k); the source selects among parallel cables down.
//
// The nodes of a level are numbered. The low digits of a node's number tell, for each lower level,
// which of the possible parents leads to this node. The high digits tell which part of the hosts is
// below the node. The nodes of a route have the same low digits on the way up and on the way down,
// namely those of the destination.
class FatTreeRoutes {
 public:
  // Each list has one number per level, starting with the level of the hosts; see FatTree.
  FatTreeRoutes(const ClusterCables& cables, std::vector<std::uint32_t> down,
                std::vector<std::uint32_t> up, std::vector<std::uint32_t> parallel);

  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const {
    return first_loopback() + (cables_.loopback ? cables_.hosts : 0);
  }
  [[nodiscard]] std::uint32_t longest() const { return 2 * levels_; }
  // Returns the number of hosts at a switch of the lowest level.
  [[nodiscard]] std::uint32_t hosts_per_switch() const { return down_[0]; }
  // Returns the first host of the same switch whose routes use the same of the parallel cables.
  [[nodiscard]] std::uint32_t alike_sources(std::uint32_t host) const;
  [[nodiscard]] std::uint32_t classes() const { return levels_ + 1; }

  template <typename Add>
  std::uint32_t route(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from == to && cables_.loopback) {
      add(first_loopback() + from);
      return 0;
    }
    const AtLevel* const source = &of_host_[std::size_t{from} * levels_];
    const AtLevel* const target = &of_host_[std::size_t{to} * levels_];
    std::uint32_t level = 0;
    while (true) {
      add(cables_.up(target[level].cable_up_to + source[level].cable_up_from));
      if (source[level].part == target[level].part) {
        break;
      }
      ++level;
    }
    const std::uint32_t highest = level + 1;
    if (!any_parallel_) {
      for (;; --level) {
        add(cables_.down(target[level].cable_down_to));
        if (level == 0) {
          return highest;
        }
      }
    }
    // On the way down, SimGrid searches the children of each switch for the next node of the route,
    // but uses a single index for all switches of the route. The search at the highest switch
    // starts at the cable that the source selects. At each switch below, the search continues at
    // the index that it has reached, so that this switch uses the next cable.
    for (std::uint32_t port = source[level].port;; --level) {
      add(cables_.down(target[level].cable_down_to + port));
      if (level == 0) {
        return highest;
      }
      const std::uint32_t child = port * down_[level] + target[level].digit;
      const std::uint32_t next = first_child_after(child, level - 1, target[level - 1].digit);
      port = next < down_[level - 1] * parallel_[level - 1] ? next / down_[level - 1]
                                                            : source[level - 1].port;
    }
  }

  [[nodiscard]] ClusterLinkKind kind(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link, const ClusterNames& names) const;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  [[nodiscard]] bool is_between_switches(std::uint32_t link) const {
    return link < first_loopback() && cable_ends(link / cables_.ways).level > 0;
  }
  [[nodiscard]] static PlatformShape shape() { return {"fat_tree", {}, 0}; }
  [[nodiscard]] bool map_links(const Images& image_of, Images& links) const;
  // Returns the links that begin or end at the host, without duplicates.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

  // Switches are vertices, numbered after the hosts and level by level. If several switches are
  // above the same hosts, only the first of them is a vertex. The first cable up from each vertex
  // leads to the vertex above it.
  [[nodiscard]] std::uint32_t switch_of_host(std::uint32_t host) const {
    return vertex({1, host / down_[0]});
  }
  // Returns the lowest switch above two vertices. One of the two may be that switch.
  [[nodiscard]] std::uint32_t switch_above(std::uint32_t one, std::uint32_t other) const;
  // Returns the switch one level above `of`; nothing at the top.
  [[nodiscard]] std::optional<std::uint32_t> next_above(std::uint32_t of) const;
  [[nodiscard]] std::string switch_name(std::uint32_t of) const;
  // Calls add(link) for each link on the route between two vertices of which at least one is a
  // switch. The route leads up to the first switch above both, then down.
  template <typename Add>
  void route_of_switch(std::uint32_t from, std::uint32_t to, Add&& add) const {
    const Vertex top = place_of(switch_above(from, to));
    for (Vertex at = place_of(from); at.level < top.level; at = above(at)) {
      add(cables_.up(first_cable(at)));
    }
    std::array<std::uint32_t, kMostLevels> down{};
    std::uint32_t count = 0;
    for (Vertex at = place_of(to); at.level < top.level; at = above(at)) {
      down[count++] = cables_.down(first_cable(at));
    }
    while (count > 0) {
      add(down[--count]);
    }
  }

 private:
  static constexpr std::uint32_t kMostLevels = 16;
  // A host (level 0), or the first of the switches above a part of the hosts. `part` is the number
  // of that part, from 0.
  struct Vertex {
    std::uint32_t level;
    std::uint32_t part;
  };
  [[nodiscard]] std::uint32_t vertex(Vertex place) const;
  [[nodiscard]] Vertex place_of(std::uint32_t vertex) const;
  [[nodiscard]] Vertex above(Vertex place) const {
    return {place.level + 1, place.part / down_[place.level]};
  }
  // Returns the first cable from a vertex to the switch above it.
  [[nodiscard]] std::uint32_t first_cable(Vertex place) const {
    const Level& own = level_[place.level];
    return own.first_cable + own.parents * place.part * up_[place.level] * parallel_[place.level];
  }

  // Data of one host for one level. They determine which cables the routes from and to this host
  // use between this level and the next.
  struct AtLevel {
    // Number of the part of the hosts to which this host belongs. A part is all hosts below one
    // switch of the next level.
    std::uint32_t part;
    // Index of the host's ancestor at this level among the children of a switch of the next level.
    std::uint32_t digit;
    std::uint32_t port;  // index of the parallel cable down for routes from this host
    // The number of the cable up is the sum of the source's cable_up_from and the destination's
    // cable_up_to.
    std::uint32_t cable_up_from;
    std::uint32_t cable_up_to;
    std::uint32_t cable_down_to;  // number of the first of the parallel cables down
  };
  struct Level {
    std::uint32_t first_cable;
    std::int64_t first_id;  // id of the first switch one level above, as in SimGrid's names
    std::uint32_t parents;  // number of different values of a node's low digits
  };

  // The lower end of a cable: the level (0 for hosts), the number of the node within the level, and
  // the number of the port at the node.
  struct CableEnds {
    std::uint32_t level;
    std::uint32_t node;
    std::uint32_t port;
  };
  [[nodiscard]] CableEnds cable_ends(std::uint32_t cable) const;
  // Returns the first child after `child`, in the order of ports, whose digit is `digit`.
  [[nodiscard]] std::uint32_t first_child_after(std::uint32_t child, std::uint32_t level,
                                                std::uint32_t digit) const {
    const std::uint32_t side = down_[level];
    const std::uint32_t candidate = (child + 1) / side * side + digit;
    return candidate > child ? candidate : candidate + side;
  }
  [[nodiscard]] std::uint32_t first_loopback() const { return all_cables_ * cables_.ways; }
  // Returns the id of a node as in SimGrid's names: hosts are numbered upwards from 0, switches
  // downwards from 2 * hosts - 1.
  [[nodiscard]] std::int64_t node_id(std::uint32_t level, std::uint32_t node) const;

  ClusterCables cables_;
  std::vector<std::uint32_t> down_;
  std::vector<std::uint32_t> up_;
  std::vector<std::uint32_t> parallel_;
  std::uint32_t levels_;
  bool any_parallel_ = false;
  std::uint32_t all_cables_ = 0;
  std::vector<Level> level_;
  // Data of the hosts, one entry per level, host by host.
  std::vector<AtLevel> of_host_;
};

struct DragonflyNumbers {
  std::uint32_t groups = 1;
  std::uint32_t chassis = 1;
  std::uint32_t routers = 1;  // routers per chassis; must be at least `groups`
  std::uint32_t nodes = 1;
};

// Minimal routes: first to the router that has the cables to the other group, then over one of
// these cables, then to the router of the destination. If a route crosses a link within a chassis
// of the destination's group, it continues from the first chassis, even if the link is in another
// chassis, as in SimGrid.
class DragonflyRoutes {
 public:
  DragonflyRoutes(const ClusterCables& cables, const DragonflyNumbers& numbers);

  [[nodiscard]] const ClusterCables& cables() const { return cables_; }
  [[nodiscard]] std::uint32_t links() const {
    return first_loopback() + (cables_.loopback ? cables_.hosts : 0);
  }
  [[nodiscard]] static std::uint32_t longest() { return 7; }
  [[nodiscard]] std::uint32_t hosts_per_switch() const { return numbers_.nodes; }
  [[nodiscard]] std::uint32_t alike_sources(std::uint32_t host) const {
    return host / numbers_.nodes;
  }
  [[nodiscard]] static std::uint32_t classes() { return 33; }

  template <typename Add>
  std::uint32_t route(std::uint32_t from, std::uint32_t to, Add&& add) const {
    if (from == to && cables_.loopback) {
      add(first_loopback() + from);
      return 32;
    }
    const Place source = places_[from];
    const Place target = places_[to];
    std::uint32_t passed = 0;
    add(cables_.up(from));
    if (source.group != target.group || source.chassis != target.chassis ||
        source.router != target.router) {
      std::uint32_t chassis = source.chassis;
      std::uint32_t router = source.router;
      if (source.group != target.group) {
        if (router != target.group) {
          add(in_chassis(source.group, chassis, router, target.group));
          passed |= 1U;
        }
        if (chassis != 0) {
          add(between_chassis(source.group, target.group, chassis, 0));
          passed |= 2U;
        }
        add(between_groups(source.group, target.group));
        passed |= 4U;
        chassis = 0;
        router = source.group;
      }
      if (router != target.router) {
        add(in_chassis(target.group, chassis, router, target.router));
        passed |= 8U;
        chassis = 0;  // as in SimGrid, even if the route was in another chassis
      }
      if (chassis != target.chassis) {
        add(between_chassis(target.group, target.router, chassis, target.chassis));
        passed |= 16U;
      }
    }
    add(cables_.down(to));
    return passed;
  }

  [[nodiscard]] ClusterLinkKind kind(std::uint32_t link) const;
  [[nodiscard]] std::string link_name(std::uint32_t link, const ClusterNames& names) const;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) const;
  [[nodiscard]] bool is_between_switches(std::uint32_t link) const {
    return kind(link) != ClusterLinkKind::cable && kind(link) != ClusterLinkKind::loopback;
  }
  [[nodiscard]] PlatformShape shape() const {
    return {"dragonfly", {}, numbers_.chassis * numbers_.routers * numbers_.nodes};
  }
  [[nodiscard]] bool map_links(const Images& image_of, Images& links) const;
  // Returns the links that begin or end at the host, without duplicates.
  [[nodiscard]] std::vector<std::uint32_t> links_of(std::uint32_t host) const;

 private:
  struct Place {
    std::uint32_t group;
    std::uint32_t chassis;
    std::uint32_t router;
  };

  // Returns the number of the pair (first, second) among all pairs of `count` items. `first` must
  // be less than `second`.
  [[nodiscard]] static std::uint32_t pair(std::uint32_t first, std::uint32_t second,
                                          std::uint32_t count) {
    return first * (2 * count - first - 1) / 2 + (second - first - 1);
  }
  [[nodiscard]] static std::uint32_t pairs(std::uint32_t count) { return count * (count - 1) / 2; }
  // Returns the pair with this number; the inverse of pair().
  [[nodiscard]] static std::pair<std::uint32_t, std::uint32_t> nth_pair(std::uint32_t number,
                                                                        std::uint32_t count);

  [[nodiscard]] std::uint32_t in_chassis(std::uint32_t group, std::uint32_t chassis,
                                         std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t first =
        first_router_cable_ + (group * numbers_.chassis + chassis) * router_pairs_;
    return from < to ? cables_.up(first + pair(from, to, numbers_.routers))
                     : cables_.down(first + pair(to, from, numbers_.routers));
  }
  [[nodiscard]] std::uint32_t between_chassis(std::uint32_t group, std::uint32_t router,
                                              std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t first =
        first_chassis_cable_ + group * chassis_pairs_ * numbers_.routers + router;
    return from < to ? cables_.up(first + pair(from, to, numbers_.chassis) * numbers_.routers)
                     : cables_.down(first + pair(to, from, numbers_.chassis) * numbers_.routers);
  }
  [[nodiscard]] std::uint32_t between_groups(std::uint32_t from, std::uint32_t to) const {
    return from < to ? cables_.up(first_group_cable_ + pair(from, to, numbers_.groups))
                     : cables_.down(first_group_cable_ + pair(to, from, numbers_.groups));
  }
  [[nodiscard]] std::uint32_t first_loopback() const { return all_cables_ * cables_.ways; }

  ClusterCables cables_;
  DragonflyNumbers numbers_;
  std::uint32_t router_pairs_;
  std::uint32_t chassis_pairs_;
  std::uint32_t first_router_cable_;
  std::uint32_t first_chassis_cable_;
  std::uint32_t first_group_cable_;
  std::uint32_t all_cables_;
  std::vector<Place> places_;  // by host
};

// True for topologies whose switches are vertices of the network.
template <typename Routes>
inline constexpr bool kHasSwitches =
    std::is_same_v<Routes, StarRoutes> || std::is_same_v<Routes, FatTreeRoutes> ||
    std::is_same_v<Routes, GpuRoutes>;

using ClusterRoutes = std::variant<StarRoutes, TorusRoutes, FatTreeRoutes, DragonflyRoutes,
                                   GroupedRoutes, GpuRoutes, ExplicitRoutes>;

}}  // namespace tutti::platforms
