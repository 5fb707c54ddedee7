// A network for tests: hosts, switches and links that a test lists one by one. Routes are shortest
// by the number of links; among equal ones, the links that were listed first are preferred.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/network.hpp"

namespace tutti {

class WiredNetwork final : public Network {
 public:
  struct Wire {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t link = 0;
  };

  // Hosts are the vertices 0 to hosts - 1; further vertices are switches.
  explicit WiredNetwork(std::uint32_t hosts, double latency_s = 0)
      : hosts_(hosts), latency_s_(latency_s) {}

  std::uint32_t add_switch() { return hosts_ + switches_++; }
  // Adds a link in one direction.
  std::uint32_t add(std::uint32_t from, std::uint32_t to, double bytes_per_s,
                    bool fatpipe = false) {
    const auto link = static_cast<std::uint32_t>(links_.size());
    links_.push_back({bytes_per_s, fatpipe});
    wires_.push_back({from, to, link});
    return link;
  }
  void add_both(std::uint32_t one, std::uint32_t other, double bytes_per_s) {
    add(one, other, bytes_per_s);
    add(other, one, bytes_per_s);
  }
  // Adds a link that carries the messages of both directions together.
  void add_shared(std::uint32_t one, std::uint32_t other, double bytes_per_s) {
    wires_.push_back({other, one, add(one, other, bytes_per_s)});
  }

  [[nodiscard]] const std::vector<Wire>& wires() const { return wires_; }
  // Returns the wires that some route crosses.
  [[nodiscard]] std::vector<Wire> used_wires() {
    std::vector<bool> used(links_.size());
    for (std::uint32_t from = 0; from < hosts_; ++from) {
      for (std::uint32_t to = 0; to < hosts_; ++to) {
        for (const Hop hop : route(from, to).hops) {
          used[hop.link()] = true;
        }
      }
    }
    std::vector<Wire> wires = wires_;
    std::erase_if(wires, [&](const Wire& wire) { return !used[wire.link]; });
    return wires;
  }
  [[nodiscard]] std::uint32_t vertices() const { return hosts_ + switches_; }
  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return {1e9, 1}; }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return std::to_string(link);
  }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::vector<std::size_t> last(vertices(), kNone);
    std::deque<std::uint32_t> next{from};
    while (!next.empty() && last[to] == kNone) {
      const std::uint32_t vertex = next.front();
      next.pop_front();
      for (std::size_t i = 0; i < wires_.size(); ++i) {
        if (wires_[i].from == vertex && wires_[i].to != from && last[wires_[i].to] == kNone) {
          last[wires_[i].to] = i;
          next.push_back(wires_[i].to);
        }
      }
    }
    hops_of_route_.clear();
    figures_ = RouteFigures();
    figures_.latency_s = latency_s_;
    if (from == to) {
      return {&figures_, hops_of_route_};
    }
    TUTTI_INVARIANT(last[to] != kNone);
    for (std::uint32_t vertex = to; vertex != from; vertex = wires_[last[vertex]].from) {
      const std::uint32_t link = wires_[last[vertex]].link;
      hops_of_route_.insert(hops_of_route_.begin(), Hop(link, 1, 0));
      figures_.alone_bytes_per_s =
          std::min(figures_.alone_bytes_per_s, links_[link].capacity_bytes_per_s);
    }
    return {&figures_, hops_of_route_};
  }

  std::uint32_t hosts_;
  std::uint32_t switches_ = 0;
  double latency_s_;
  std::vector<Wire> wires_;
  std::vector<Hop> hops_of_route_;
  RouteFigures figures_;
};

// Returns a connected network: with `switches`, a tree whose leaves are hosts; otherwise hosts that
// also forward the messages of others. Every link is on some route.
inline std::unique_ptr<WiredNetwork> random_wires(std::mt19937_64& random, bool switches) {
  const auto below = [&](std::uint32_t bound) {
    return static_cast<std::uint32_t>(random() % bound);
  };
  const auto rate = [&] { return 1e9 * (1 + below(8)); };
  if (!switches) {
    const std::uint32_t hosts = 2 + below(10);
    auto made = std::make_unique<WiredNetwork>(hosts);
    WiredNetwork& network = *made;
    for (std::uint32_t host = 1; host < hosts; ++host) {
      const std::uint32_t other = below(host);
      network.add(host, other, rate());
      network.add(other, host, rate());
    }
    for (std::uint32_t i = below(hosts + 1); i > 0; --i) {
      const std::uint32_t from = below(hosts);
      const std::uint32_t to = below(hosts);
      bool known = from == to;
      for (const WiredNetwork::Wire& wire : network.wires()) {
        known |= wire.from == from && wire.to == to;
      }
      if (!known) {
        network.add(from, to, rate());
      }
    }
    return made;
  }
  const std::uint32_t count = 1 + below(4);
  const std::uint32_t hosts = 2 * count + below(13 - 3 * count) / 2;
  auto made = std::make_unique<WiredNetwork>(hosts);
  WiredNetwork& network = *made;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t added = network.add_switch();
    if (i > 0) {
      const std::uint32_t other = hosts + below(i);
      network.add(added, other, rate());
      network.add(other, added, rate());
    }
  }
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const std::uint32_t at = hosts + (host < count ? host : below(count));
    network.add(host, at, rate());
    network.add(at, host, rate());
  }
  return made;
}

// Returns equal nodes of several hosts. Each host has a link to the switch of its node and one to
// the switch of its rail; the rails meet at a switch above. In every second network, one more link
// makes a difference. Consecutive hosts are a node.
inline std::unique_ptr<WiredNetwork> random_nodes(std::mt19937_64& random, std::uint32_t nodes,
                                                  std::uint32_t hosts_of_node) {
  const auto rate = [&] { return 1e9 * static_cast<double>(1 + random() % 4); };
  const std::uint32_t hosts = nodes * hosts_of_node;
  auto made = std::make_unique<WiredNetwork>(hosts);
  WiredNetwork& network = *made;
  const double inner = rate();
  const double card = rate();
  const double trunk = rate();
  const std::uint32_t top = network.add_switch();
  std::vector<std::uint32_t> rails;
  for (std::uint32_t i = 0; i < hosts_of_node; ++i) {
    rails.push_back(network.add_switch());
    network.add_both(rails.back(), top, trunk);
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t within = network.add_switch();
    for (std::uint32_t i = 0; i < hosts_of_node; ++i) {
      network.add_both(node * hosts_of_node + i, within, inner);
      network.add_both(node * hosts_of_node + i, rails[i], card);
    }
  }
  if (random() % 2 == 0) {
    network.add(0, 1 + static_cast<std::uint32_t>(random() % (hosts - 1)), rate());
  }
  return made;
}

}  // namespace tutti
