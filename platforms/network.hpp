// What a simulation of flows needs to know of a platform: links, hosts, and the way from one host
// to another. Where it comes from (a loaded SimGrid platform, a built-in shape) is hidden.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "platforms/link_place.hpp"
#include "platforms/platform.hpp"

namespace tutti::inline platforms {

struct NetworkLink {
  double capacity_bytes_per_s = 0;
  // A fat pipe gives each message its whole capacity, whatever else is on it; other links are
  // shared.
  bool fatpipe = false;
};

struct NetworkHost {
  double speed_flops_per_s = 0;  // of one core
  std::uint32_t cores = 1;

  friend bool operator==(const NetworkHost&, const NetworkHost&) = default;
};

// One link of a route, with how often the route crosses it forward, and how often the way back
// does. The way back counts where acknowledgements are modelled: they take 5 %.
class Hop {
 public:
  static constexpr std::uint32_t kMaxLinks = 1U << 24U;
  static constexpr std::uint32_t kMostCrossings = 0xffff;  // of a link, each way

  constexpr Hop() = default;
  constexpr Hop(std::uint32_t link, std::uint32_t forward, std::uint32_t backward)
      : link_(link),
        forward_(static_cast<std::uint16_t>(forward)),
        backward_(static_cast<std::uint16_t>(backward)) {}

  [[nodiscard]] constexpr std::uint32_t link() const { return link_; }
  [[nodiscard]] constexpr std::uint32_t forward() const { return forward_; }
  [[nodiscard]] constexpr std::uint32_t backward() const { return backward_; }
  // What a byte of the message takes of the link's capacity; `fatpipe` takes the larger of both
  // ways.
  [[nodiscard]] constexpr double consumption(bool fatpipe) const {
    if (forward_ == 1 && backward_ == 0) {
      return 1;
    }
    if (fatpipe) {
      return forward_ > 0 ? 1 : kBackward;
    }
    return forward_ + kBackward * backward_;
  }

 private:
  static constexpr double kBackward = 0.05;

  std::uint32_t link_ = 0;
  std::uint16_t forward_ = 0;
  std::uint16_t backward_ = 0;
};

// What all messages between two hosts have in common.
// Routes that are alike have the same object.
struct RouteFigures {
  double latency_s = 0;
  // Where messages share a link, each gets a part that is in proportion to this.
  double weight = 1;
  // No message is faster than this, whatever the shared links on its way leave.
  double cap_bytes_per_s = std::numeric_limits<double>::infinity();
  double alone_bytes_per_s = std::numeric_limits<double>::infinity();
  // Bytes that arrive per byte of capacity used.
  double efficiency = 1;
};

// Valid until the next call of Network::route().
struct NetworkRoute {
  const RouteFigures* figures = nullptr;  // valid as long as the network
  std::span<const Hop> hops;              // each link once
};

class Network {
 public:
  Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  virtual ~Network() = default;

  // In the order of the platform. Computed when first asked for, and then looked up without a call:
  // an engine asks some times per message.
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

  // All links of the routes that were asked for so far. It may grow with each call of route().
  [[nodiscard]] const std::vector<NetworkLink>& links() const { return links_; }
  [[nodiscard]] virtual std::string link_name(std::uint32_t link) const = 0;
  // The same link in words for people. To be asked after the run: it may look for more routes.
  [[nodiscard]] virtual LinkPlace link_place(std::uint32_t link) {
    return {link_name(link), kLinks};
  }

 protected:
  struct Known {
    const RouteFigures* figures = nullptr;
    std::uint32_t first_hop = 0;
    std::uint32_t hops = 0;
  };
  static constexpr std::uint32_t kUnknown = 0xffffffffU;

  // A route that is not in the table.
  [[nodiscard]] virtual NetworkRoute find_route(std::uint32_t src_host, std::uint32_t dst_host) = 0;

  [[nodiscard]] NetworkRoute known(std::uint32_t at) const {
    const Known& route = routes_[at];
    return {route.figures, {hops_.data() + route.first_hop, route.hops}};
  }

  std::vector<NetworkLink> links_;
  // For networks that keep their routes: those found so far, and by pair of hosts where they stand.
  std::vector<Known> routes_;
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> table_;
  std::size_t table_hosts_ = 0;
};

// Hosts with an up and a down link each, around a switch that never contends. Needs no table of
// routes: a million hosts are fine.
class CrossbarNetwork final : public Network {
 public:
  explicit CrossbarNetwork(const Crossbar& crossbar);

  // This is route() for an engine that knows what it has.
  [[nodiscard]] NetworkRoute computed_route(std::uint32_t src_host, std::uint32_t dst_host) {
    up_and_down_[0] = Hop(2 * src_host, 1, 0);
    up_and_down_[1] = Hop(2 * dst_host + 1, 1, 0);
    return {&figures_, up_and_down_};
  }
  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return host_; }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
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

}  // namespace tutti::inline platforms
