// The view of a platform that a flow simulation needs: links, hosts, and the route from one host to
// another. Hides whether SimGrid or tutti itself loaded the platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "platforms/images.hpp"
#include "platforms/link_place.hpp"
#include "platforms/platform.hpp"

namespace tutti { inline namespace platforms {

struct NetworkLink {
  double capacity_bytes_per_s = 0;
  // A fat pipe gives each message its whole capacity, however many messages use it. Other links are
  // shared.
  bool fatpipe = false;
};

struct NetworkHost {
  double speed_flops_per_s = 0;  // speed of one core
  std::uint32_t cores = 1;

  friend bool operator==(const NetworkHost&, const NetworkHost&) = default;
};

// A link of a route, with the number of times that the route crosses the link, and the number of
// times that the reverse route crosses it. The reverse route matters if acknowledgements are
// modelled: they need 5 % of the message's bandwidth.
class Hop {
 public:
  static constexpr std::uint32_t kMaxLinks = 1U << 24U;
  static constexpr std::uint32_t kMostCrossings = 0xffff;  // of one link in one direction

  constexpr Hop() = default;
  constexpr Hop(std::uint32_t link, std::uint32_t forward, std::uint32_t backward)
      : link_(link),
        forward_(static_cast<std::uint16_t>(forward)),
        backward_(static_cast<std::uint16_t>(backward)) {}

  [[nodiscard]] constexpr std::uint32_t link() const { return link_; }
  [[nodiscard]] constexpr std::uint32_t forward() const { return forward_; }
  [[nodiscard]] constexpr std::uint32_t backward() const { return backward_; }
  // Returns the link capacity that is used per byte of the message. On a fat pipe, the larger of
  // the two directions counts, not their sum.
  [[nodiscard]] constexpr double consumption(bool fatpipe) const {
    if (forward_ == 1 && backward_ == 0) {
      return 1;
    }
    if (fatpipe) {
      return forward_ > 0 ? 1 : kBackward;
    }
    return forward_ + kBackward * backward_;
  }

  friend constexpr bool operator==(const Hop&, const Hop&) = default;

 private:
  static constexpr double kBackward = 0.05;

  std::uint32_t link_ = 0;
  std::uint16_t forward_ = 0;
  std::uint16_t backward_ = 0;
};

// Properties of a route that are the same for all its messages. Routes with equal properties share
// one object.
struct RouteFigures {
  double latency_s = 0;
  // Messages that share a link get bandwidth in proportion to this weight.
  double weight = 1;
  // Upper limit on the rate of a message, even if the shared links of the route have more capacity
  // left.
  double cap_bytes_per_s = std::numeric_limits<double>::infinity();
  double alone_bytes_per_s = std::numeric_limits<double>::infinity();
  // Payload bytes per byte of capacity used.
  double efficiency = 1;
};

// A route. Valid until the next call of Network::route().
struct NetworkRoute {
  const RouteFigures* figures = nullptr;  // valid as long as the network exists
  std::span<const Hop> hops;              // without duplicate links
};

// A partition of the hosts into groups of consecutive hosts.
struct ExchangeableGroups {
  std::vector<std::uint32_t> group_of_host;  // ascending
  std::vector<std::uint32_t> kind_of_group;
};

class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  // Returns the route between two hosts, which are numbered in the order of the platform. A network
  // with a table computes each route once. Later lookups are inlined, since engines ask for a route
  // several times per message.
  [[nodiscard]] NetworkRoute route(std::uint32_t src_host, std::uint32_t dst_host) {
    if (!table_.empty()) [[likely]] {
      const std::uint32_t at = table_[std::size_t{src_host} * table_hosts_ + dst_host];
      if (at != kUnknown) [[likely]] {
        return known(at);
      }
    }
    return find_route(src_host, dst_host);
  }
  [[nodiscard]] virtual NetworkHost host(std::uint32_t index) const = 0;
  [[nodiscard]] virtual std::uint32_t hosts() const = 0;
  // Returns a number for each host, which is the same only for alike hosts. Alike hosts have links
  // of their own as the first link of their routes to other hosts, and as the last link of the
  // routes to them, and these links have equal figures. For any two alike hosts a and b and any
  // third host x, the routes from a to x and from b to x differ only in their first links; all
  // routes between a or b and x have equal figures in each direction, and so do the routes from a
  // to b, from b to a, and the routes of a and b to themselves.
  [[nodiscard]] virtual std::vector<std::uint32_t> alike_hosts() const;
  // Returns partitions of the hosts, of which each divides the groups of the next one. Two groups
  // of the same kind can be exchanged if they are in the same group of the next partition, or if
  // there is no next one: host i of one group takes the place of host i of the other. Some exchange
  // of links of equal capacities then turns every route into the route between the hosts in the new
  // places, and both routes have equal figures. Only links of the two groups change places: the
  // links of all other groups, and of the groups around both, stay in place.
  [[nodiscard]] virtual std::vector<ExchangeableGroups> exchangeable_groups() const { return {}; }

  // Finds the images of links under a map of hosts. `image_of` maps some hosts one to one onto
  // themselves. If each route between two of them becomes the route between their images, with
  // equal figures, adds the image of each link on these routes. Returns false if the map does not
  // do this, or if only a look at all routes could tell; `links` is then unspecified.
  [[nodiscard]] virtual bool map_links(const Images& image_of, Images& links) const {
    static_cast<void>(image_of);
    static_cast<void>(links);
    return false;
  }

  // All links of the routes returned so far. Each call of route() may add links.
  [[nodiscard]] const std::vector<NetworkLink>& links() const { return links_; }
  [[nodiscard]] virtual std::string link_name(std::uint32_t link) const = 0;
  // Describes a link in words. Must be called only after the run, since it may compute more routes.
  [[nodiscard]] virtual LinkPlace link_place(std::uint32_t link) {
    return {link_name(link), kLinks};
  }
  // True if the link is neither a host's nor a loopback, according to link_place().
  [[nodiscard]] virtual bool is_between_switches(std::uint32_t link) {
    const LinkPlace place = link_place(link);
    return place.group != kHostLinks && place.group != kLoopbacks;
  }

 protected:
  struct CachedRoute {
    const RouteFigures* figures = nullptr;
    std::uint32_t first_hop = 0;
    std::uint32_t hops = 0;
  };
  static constexpr std::uint32_t kUnknown = 0xffffffffU;

  // Computes a route that is not in the table.
  [[nodiscard]] virtual NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) = 0;

  [[nodiscard]] NetworkRoute known(std::uint32_t at) const {
    const CachedRoute& route = routes_[at];
    return {route.figures, {hops_.data() + route.first_hop, route.hops}};
  }

  std::vector<NetworkLink> links_;
  // The following members are only used by networks that keep their routes. routes_ and hops_
  // contain the routes found so far. table_ contains the index in routes_ of the route of each pair
  // of hosts.
  std::vector<CachedRoute> routes_;
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> table_;
  std::size_t table_hosts_ = 0;
};

// A network of hosts that have one up-link and one down-link each, to and from a switch without
// contention. Routes are computed rather than stored, so that a million hosts are possible.
class CrossbarNetwork final : public Network {
 public:
  explicit CrossbarNetwork(const Crossbar& crossbar);

  // Returns the same route as route(), but without a virtual call, for engines that know the type
  // of the network.
  [[nodiscard]] NetworkRoute computed_route(std::uint32_t src_host, std::uint32_t dst_host) {
    up_and_down_[0] = Hop(2 * src_host, 1, 0);
    up_and_down_[1] = Hop(2 * dst_host + 1, 1, 0);
    return {&figures_, up_and_down_};
  }
  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return host_; }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::vector<std::uint32_t> alike_hosts() const override {
    return std::vector<std::uint32_t>(hosts_, 0);
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override;
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override;

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) override {
    return computed_route(src_host, dst_host);
  }

  std::uint32_t hosts_;
  NetworkHost host_;
  RouteFigures figures_;
  Hop up_and_down_[2];
};

}}  // namespace tutti::platforms
