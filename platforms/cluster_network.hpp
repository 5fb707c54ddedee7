// The network of a cluster: each route is worked out when it is asked for, and forgotten.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster_platform.hpp"
#include "schedules/error.hpp"

namespace tutti {

template <typename Routes>
class ClusterNetwork final : public Network {
 public:
  // `routes` is a part of `cluster`.
  ClusterNetwork(const ClusterPlatform& platform, std::shared_ptr<const Cluster> cluster,
                 const Routes& routes,
                 const std::array<ClusterLinkFigures, kClusterLinkKinds>& figures,
                 std::uint32_t hosts, const RoutePricing& pricing)
      : platform_(platform),
        cluster_(std::move(cluster)),
        routes_(routes),
        hosts_(hosts),
        pricing_(pricing),
        // Then a route crosses no link twice, nor another time for what comes back.
        simple_(!pricing.acknowledgements && routes.cables().ways == 2),
        route_(routes.longest() * (simple_ ? 1 : 2)),
        of_class_(simple_ ? routes.classes() : 0),
        variants_of_class_(simple_ ? 0 : routes.classes()) {
    TUTTI_INVARIANT(routes.links() <= Hop::kMaxLinks);
    links_.reserve(routes.links());
    for (std::uint32_t link = 0; link < routes.links(); ++link) {
      const ClusterLinkFigures& own = figures[static_cast<std::size_t>(routes.kind(link))];
      links_.push_back({own.bandwidth_bytes_per_s, own.fatpipe});
    }
  }

  [[nodiscard]] NetworkHost host(std::uint32_t) const override { return cluster_->host; }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return platform_.link_name(link);
  }

 private:
  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override {
    if (!simple_) {
      return find_route_that_repeats(from, to);
    }
    Hop* end = route_.data();
    const std::uint32_t route_class =
        routes_.route(from, to, [&end](std::uint32_t link) { *end++ = Hop(link, 1, 0); });
    const std::span<const Hop> hops(route_.data(), static_cast<std::size_t>(end - route_.data()));
    const RouteFigures*& figures = of_class_[route_class];
    if (figures == nullptr) [[unlikely]] {
      figures = figures_.keep(figures_of(from, to, hops));
    }
    return {figures, hops};
  }

  // Each link once, with how often it is crossed. What a link has to carry is then no matter of the
  // class alone.
  [[nodiscard]] NetworkRoute find_route_that_repeats(std::uint32_t from, std::uint32_t to) {
    std::size_t count = 0;
    const auto add = [&](std::uint32_t link, std::uint32_t forward, std::uint32_t backward) {
      for (std::size_t i = 0; i < count; ++i) {
        if (route_[i].link() == link) {
          route_[i] = Hop(link, route_[i].forward() + forward, route_[i].backward() + backward);
          return;
        }
      }
      route_[count++] = Hop(link, forward, backward);
    };
    const std::uint32_t route_class =
        routes_.route(from, to, [&](std::uint32_t link) { add(link, 1, 0); });
    if (pricing_.acknowledgements) {
      routes_.route(to, from, [&](std::uint32_t link) { add(link, 0, 1); });
    }
    const std::span<const Hop> hops(route_.data(), count);
    double alone_bytes_per_s = std::numeric_limits<double>::infinity();
    for (const Hop hop : hops) {
      const NetworkLink& link = links_[hop.link()];
      alone_bytes_per_s =
          std::min(alone_bytes_per_s, link.capacity_bytes_per_s / hop.consumption(link.fatpipe));
    }
    std::vector<const RouteFigures*>& known = variants_of_class_[route_class];
    for (const RouteFigures* figures : known) {
      if (figures->alone_bytes_per_s == std::min(figures->cap_bytes_per_s, alone_bytes_per_s)) {
        return {figures, hops};
      }
    }
    return {known.emplace_back(figures_.keep(figures_of(from, to, hops))), hops};
  }

  [[nodiscard]] RouteFigures figures_of(std::uint32_t from, std::uint32_t to,
                                        std::span<const Hop> hops) const {
    const double latency_s = platform_.route(from, to).latency_s;  // refuses where there is none
    std::vector<double> bandwidths;
    for (const std::uint32_t link : platform_.links_between(from, to)) {
      bandwidths.push_back(links_[link].capacity_bytes_per_s);
    }
    return route_figures(pricing_, latency_s, bandwidths, hops, links_);
  }

  ClusterPlatform platform_;
  std::shared_ptr<const Cluster> cluster_;
  const Routes& routes_;
  std::uint32_t hosts_;
  RoutePricing pricing_;
  bool simple_;
  std::vector<Hop> route_;  // the last that was asked for
  FiguresTable figures_;
  std::vector<const RouteFigures*> of_class_;  // null: not asked for yet
  // The same where links are crossed more than once: by what the narrowest of them leaves.
  std::vector<std::vector<const RouteFigures*>> variants_of_class_;
};

}  // namespace tutti
