// A torus whose routes look the same from every host: in each dimension, a route goes in the
// shorter direction, or forward if both are equally long. A test can slow down any link, host or
// route.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platforms/network.hpp"

namespace tutti {

class TorusNetwork final : public Network {
 public:
  struct Shape {
    std::vector<std::uint32_t> dims;
    std::uint32_t cores = 1;
    bool backbone = false;      // one link that all routes cross
    bool loopback = false;      // ignored: every host has a loopback, which is a fat pipe
    bool acknowledged = false;  // a message also uses the links of its reverse route
    bool by_bandwidth = false;  // weights also depend on bandwidths; rates have caps
  };
  // Set these before the first call of route(). The keys of the maps are numbers of links or hosts;
  // the values are factors on the link's bandwidth or the host's speed. `longer_route` is (from,
  // to) of a route whose latency is multiplied by 1.5; if both are equal, there is no such route.
  std::map<std::uint32_t, double> slower_link;
  std::map<std::uint32_t, double> slower_host;
  std::pair<std::uint32_t, std::uint32_t> longer_route{0, 0};

  explicit TorusNetwork(Shape shape) : shape_(std::move(shape)) {
    for (const std::uint32_t dim : shape_.dims) {
      hosts_ *= dim;
    }
  }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override {
    return {0.41e9 * factor(slower_host, index), shape_.cores};
  }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return std::to_string(link);
  }
  // Returns the number of the link that leads from `host` forward or backward along a dimension.
  [[nodiscard]] std::uint32_t link(std::uint32_t host, std::size_t dimension, bool forward) const {
    return static_cast<std::uint32_t>(2 * (host * shape_.dims.size() + dimension)) +
           (forward ? 1U : 0U);
  }

 private:
  static double factor(const std::map<std::uint32_t, double>& slower, std::uint32_t index) {
    const auto at = slower.find(index);
    return at == slower.end() ? 1 : at->second;
  }

  void make_links() {
    const auto cables = static_cast<std::uint32_t>(2 * shape_.dims.size()) * hosts_;
    for (std::uint32_t index = 0; index < cables; ++index) {
      // Each dimension has its own bandwidth.
      const double own = 1.07e9 * (1 + 0.3 * static_cast<double>(index / 2 % shape_.dims.size()));
      links_.push_back({own * factor(slower_link, index), false});
    }
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      links_.push_back({4.1e9 * factor(slower_link, cables + host), true});
    }
    links_.push_back({3.3e9, false});
  }

  // Returns the links of the route between two hosts, in order.
  [[nodiscard]] std::vector<std::uint32_t> way(std::uint32_t from, std::uint32_t to) const {
    std::vector<std::uint32_t> links;
    const auto last = static_cast<std::uint32_t>(links_.size() - 1);
    if (from == to) {
      return {last - hosts_ + from};
    }
    std::uint32_t stride = 1;
    std::uint32_t at = from;
    for (std::size_t d = 0; d < shape_.dims.size(); ++d) {
      const std::uint32_t dim = shape_.dims[d];
      const std::uint32_t ahead = (to / stride % dim + dim - at / stride % dim) % dim;
      const bool forward = 2 * ahead <= dim;
      for (std::uint32_t step = 0; step < (forward ? ahead : dim - ahead); ++step) {
        links.push_back(link(at, d, forward));
        const std::uint32_t here = at / stride % dim;
        const std::uint32_t next = forward ? (here + 1) % dim : (here + dim - 1) % dim;
        at = at - here * stride + next * stride;
      }
      stride *= dim;
    }
    if (shape_.backbone) {
      links.push_back(last);
    }
    return links;
  }

  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override {
    if (links_.empty()) {
      make_links();
    }
    const auto [at, is_new] =
        known_.try_emplace({from, to}, static_cast<std::uint32_t>(routes_.size()));
    if (is_new) {
      routes_.push_back(make_route(from, to));
    }
    return known(at->second);
  }

  [[nodiscard]] CachedRoute make_route(std::uint32_t from, std::uint32_t to) {
    CachedRoute route;
    route.first_hop = static_cast<std::uint32_t>(hops_.size());
    const std::vector<std::uint32_t> there = way(from, to);
    for (const std::uint32_t link : there) {
      hops_.emplace_back(link, 1, 0);
    }
    if (shape_.acknowledged && from != to) {
      for (const std::uint32_t link : way(to, from)) {
        bool both = false;
        for (std::size_t i = route.first_hop; i < hops_.size(); ++i) {
          if (hops_[i].link() == link) {
            hops_[i] = Hop(link, hops_[i].forward(), hops_[i].backward() + 1);
            both = true;
          }
        }
        if (!both) {
          hops_.emplace_back(link, 0, 1);
        }
      }
    }
    route.hops = static_cast<std::uint32_t>(hops_.size()) - route.first_hop;
    RouteFigures figures;
    figures.latency_s = 0.53e-6 * static_cast<double>(there.size());
    if (std::pair(from, to) == longer_route && from != to) {
      figures.latency_s *= 1.5;
    }
    double penalty = figures.latency_s;
    if (shape_.by_bandwidth) {
      for (const std::uint32_t link : there) {
        penalty += 2e4 / links_[link].capacity_bytes_per_s;
      }
      figures.cap_bytes_per_s = 0.6e9 / static_cast<double>(there.size());
    }
    figures.weight = 1 / penalty;
    figures.alone_bytes_per_s = figures.cap_bytes_per_s;
    for (std::uint32_t i = route.first_hop; i < hops_.size(); ++i) {
      const NetworkLink& link = links_[hops_[i].link()];
      const double most = link.capacity_bytes_per_s / hops_[i].consumption(link.fatpipe);
      figures.alone_bytes_per_s = std::min(figures.alone_bytes_per_s, most);
      if (link.fatpipe) {
        figures.cap_bytes_per_s = std::min(figures.cap_bytes_per_s, most);
      }
    }
    const auto [at, is_new] = figures_of_.try_emplace(
        {figures.latency_s, figures.weight, figures.cap_bytes_per_s, figures.alone_bytes_per_s});
    if (is_new) {
      at->second = &figures_.emplace_back(figures);
    }
    route.figures = at->second;
    return route;
  }

  Shape shape_;
  std::uint32_t hosts_ = 1;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_;
  std::deque<RouteFigures> figures_;
  std::map<std::tuple<double, double, double, double>, const RouteFigures*> figures_of_;
};

}  // namespace tutti
