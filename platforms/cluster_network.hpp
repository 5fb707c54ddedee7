// The network of a cluster. Routes are computed on demand; only the most recent ones are kept. If
// the platform lists its routes, all routes are kept.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/cluster_platform.hpp"

namespace tutti { inline namespace platforms {

template <typename Routes>
class ClusterNetwork final : public Network {
 public:
  // `routes` must be a part of `cluster`.
  ClusterNetwork(const ClusterPlatform& platform, std::shared_ptr<const Cluster> cluster,
                 const Routes& routes,
                 const std::array<ClusterLinkFigures, kClusterLinkKinds>& figures,
                 std::uint32_t hosts, const RoutePricing& pricing)
      : platform_(platform),
        cluster_(std::move(cluster)),
        routes_(routes),
        hosts_(hosts),
        unused_(platform.unused_links(hosts)),
        pricing_(pricing),
        // Without acknowledgements, and with two links per cable, a route crosses each link at most
        // once.
        simple_(!pricing.acknowledgements && routes.cables().ways == 2),
        longest_(std::max<std::size_t>(1, routes.longest() * (simple_ ? 1U : 2U))),
        recent_(slots(hosts, longest_)),
        hops_of_slot_(recent_.size() * longest_),
        of_class_(simple_ ? routes.classes() : 0),
        variants_of_class_(simple_ ? 0 : routes.classes()) {
    TUTTI_INVARIANT(routes.links() <= Hop::kMaxLinks);
    if constexpr (kListed) {
      table_hosts_ = hosts;
      table_.assign(table_hosts_ * table_hosts_, kUnknown);
    }
    const std::uint32_t used = routes.links() - unused_.size();
    links_.reserve(used);
    while (links_.size() < used) {
      const std::uint32_t link = unused_.link(static_cast<std::uint32_t>(links_.size()));
      const ClusterLinkFigures& own = platform.kinds_alike()
                                          ? figures[static_cast<std::size_t>(routes.kind(link))]
                                          : platform.link_figures(link);
      links_.push_back({own.bandwidth_bytes_per_s, own.fatpipe});
    }
  }

  [[nodiscard]] NetworkHost host(std::uint32_t index) const override {
    return platform_.host(index);
  }
  [[nodiscard]] std::uint32_t hosts() const override { return hosts_; }
  [[nodiscard]] std::vector<std::uint32_t> alike_hosts() const override {
    if constexpr (kListed) {
      return Network::alike_hosts();
    }
    std::map<std::pair<std::uint32_t, LinkFiguresList>, std::uint32_t> numbers;
    std::vector<std::uint32_t> alike;
    alike.reserve(hosts_);
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      std::pair<std::uint32_t, LinkFiguresList> key{routes_.alike_sources(host), {}};
      if (!platform_.kinds_alike()) {
        if constexpr (std::is_same_v<Routes, FatTreeRoutes>) {
          key.first = host;  // the routes to two hosts of a switch may lead over different switches
        }
        key.second = figures_of_links(routes_.links_of(host));
      }
      alike.push_back(numbers.try_emplace(std::move(key), host).first->second);
    }
    return alike;
  }
  [[nodiscard]] std::vector<ExchangeableGroups> exchangeable_groups() const override {
    std::vector<ExchangeableGroups> found;
    if constexpr (requires { routes_.exchangeable_groups(); }) {
      for (const GroupsWithLinks& given : routes_.exchangeable_groups()) {
        ExchangeableGroups& groups = found.emplace_back();
        for (std::uint32_t host = 0; host < hosts_; ++host) {
          groups.group_of_host.push_back(host / given.hosts);
        }
        groups.kind_of_group.resize((hosts_ - 1) / given.hosts + 1);
        std::map<LinkFiguresList, std::uint32_t> kinds;
        for (std::uint32_t group = 0; group < groups.kind_of_group.size(); ++group) {
          if (!given.exchangeable) {
            groups.kind_of_group[group] = group;
          } else if (!platform_.kinds_alike()) {
            std::vector<std::uint32_t> links(given.links);
            std::iota(links.begin(), links.end(), given.first_link + group * given.links);
            groups.kind_of_group[group] =
                kinds.try_emplace(figures_of_links(links), group).first->second;
          }
        }
      }
    }
    return found;
  }
  [[nodiscard]] bool map_links(const Images& image_of, Images& links) const override {
    if constexpr (kListed) {
      return false;
    } else {
      if (longest_ > Hop::kMostCrossings) {
        return false;  // all links of a route may be of one class
      }
      const bool all_counted = unused_.size() == 0;
      Images of_platform;
      Images& all = all_counted ? links : of_platform;
      all.make_room(routes_.links());
      if (!routes_.map_links(image_of, all)) {
        return false;
      }
      const std::span<const std::uint32_t> images = all.all();
      for (std::uint32_t link = 0; link < images.size(); ++link) {
        if (images[link] != Images::kNone &&
            ((!platform_.kinds_alike() &&
              !(platform_.link_figures(link) == platform_.link_figures(images[link]))) ||
             (!all_counted && !links.set(unused_.number(link), unused_.number(images[link]))))) {
          return false;
        }
      }
      return true;
    }
  }
  [[nodiscard]] std::string link_name(std::uint32_t link) const override {
    return platform_.link_name(unused_.link(link));
  }
  [[nodiscard]] LinkPlace link_place(std::uint32_t link) override {
    return routes_.link_place(unused_.link(link));
  }
  [[nodiscard]] bool is_between_switches(std::uint32_t link) override {
    if constexpr (requires { routes_.is_between_switches(link); }) {
      return routes_.is_between_switches(unused_.link(link));
    } else {
      return Network::is_between_switches(link);
    }
  }

 private:
  // The most recent route from a host. Engines ask for a route repeatedly while a message is on it.
  // If there are many hosts, several of them share one entry.
  struct Recent {
    std::uint32_t from = kNoHost;
    std::uint32_t to = kNoHost;
    std::uint32_t hops = 0;
    const RouteFigures* figures = nullptr;
  };
  using LinkFiguresList = std::vector<std::tuple<double, double, bool>>;
  static constexpr std::uint32_t kNoHost = 0xffffffffU;
  static constexpr bool kListed = std::is_same_v<Routes, ExplicitRoutes>;

  [[nodiscard]] LinkFiguresList figures_of_links(const std::vector<std::uint32_t>& links) const {
    LinkFiguresList list;
    for (const std::uint32_t link : links) {
      const ClusterLinkFigures& own = platform_.link_figures(link);
      list.emplace_back(own.bandwidth_bytes_per_s, own.latency_s, own.fatpipe);
    }
    return list;
  }

  static std::size_t slots(std::uint32_t hosts, std::size_t longest) {
    constexpr std::size_t kMostHops = 1U << 20U;  // 8 MiB: a Hop has 8 bytes
    return std::min(std::bit_ceil(std::size_t{std::max(hosts, 1U)}),
                    std::bit_floor(std::max(kMostHops / longest, std::size_t{1})));
  }

  [[nodiscard]] NetworkRoute find_route(std::uint32_t from, std::uint32_t to) override {
    const std::size_t slot = from & (recent_.size() - 1);
    Recent& recent = recent_[slot];
    Hop* const hops = &hops_of_slot_[slot * longest_];
    if (recent.from != from || recent.to != to) {
      // The entry is made invalid first, because the next statement throws if there is no route.
      recent.from = kNoHost;
      recent.hops = is_switch(from) || is_switch(to)
                        ? work_out_at_switch(from, to, hops, recent.figures)
                    : simple_ ? work_out(from, to, hops, recent.figures)
                              : work_out_repeated(from, to, hops, recent.figures);
      recent.from = from;
      recent.to = to;
    }
    if constexpr (kListed) {
      table_[from * table_hosts_ + to] = static_cast<std::uint32_t>(Network::routes_.size());
      Network::routes_.push_back(
          {recent.figures, static_cast<std::uint32_t>(hops_.size()), recent.hops});
      hops_.insert(hops_.end(), hops, hops + recent.hops);
    }
    return {recent.figures, {hops, recent.hops}};
  }

  [[nodiscard]] bool is_switch(std::uint32_t vertex) const {
    return vertex >= routes_.cables().hosts;
  }

  // Computes a route of which at least one end is a switch.
  std::uint32_t work_out_at_switch(std::uint32_t from, std::uint32_t to, Hop* hops,
                                   const RouteFigures*& figures) {
    std::uint32_t count = 0;
    if constexpr (kHasSwitches<Routes>) {
      const auto add = [&](std::uint32_t link, std::uint32_t forward, std::uint32_t backward) {
        for (std::uint32_t i = 0; i < count; ++i) {
          if (hops[i].link() == link) {
            hops[i] = Hop(link, hops[i].forward() + forward, hops[i].backward() + backward);
            return;
          }
        }
        hops[count++] = Hop(link, forward, backward);
      };
      double latency_s = 0;
      bandwidths_.clear();
      routes_.route_of_switch(from, to, [&](std::uint32_t link) {
        add(unused_.number(link), 1, 0);
        latency_s += platform_.link_figures(link).latency_s;
        bandwidths_.push_back(links_[unused_.number(link)].capacity_bytes_per_s);
      });
      if (pricing_.acknowledgements) {
        routes_.route_of_switch(to, from,
                                [&](std::uint32_t link) { add(unused_.number(link), 0, 1); });
      }
      TUTTI_INVARIANT(count > 0);
      figures =
          figures_.keep(route_figures(pricing_, latency_s, bandwidths_, {hops, count}, links_));
    } else {
      TUTTI_INVARIANT(false);
    }
    return count;
  }

  std::uint32_t work_out(std::uint32_t from, std::uint32_t to, Hop* hops,
                         const RouteFigures*& figures) {
    Hop* end = hops;
    const std::uint32_t route_class = routes_.route(
        from, to, [&](std::uint32_t link) { *end++ = Hop(unused_.number(link), 1, 0); });
    const auto count = static_cast<std::uint32_t>(end - hops);
    if (!platform_.kinds_alike()) [[unlikely]] {
      figures = figures_.keep(figures_of(from, to, {hops, count}));
      return count;
    }
    const RouteFigures*& known = of_class_[route_class];
    if (known == nullptr) [[unlikely]] {
      known = figures_.keep(figures_of(from, to, {hops, count}));
    }
    figures = known;
    return count;
  }

  // Computes a route that may cross links several times: each link occurs once, with the number of
  // crossings. The figures of such a route depend on more than its class.
  std::uint32_t work_out_repeated(std::uint32_t from, std::uint32_t to, Hop* hops,
                                  const RouteFigures*& figures) {
    std::uint32_t count = 0;
    const auto add = [&](std::uint32_t link, std::uint32_t forward, std::uint32_t backward) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (hops[i].link() == link) {
          hops[i] = Hop(link, hops[i].forward() + forward, hops[i].backward() + backward);
          return;
        }
      }
      hops[count++] = Hop(link, forward, backward);
    };
    const std::uint32_t route_class =
        routes_.route(from, to, [&](std::uint32_t link) { add(unused_.number(link), 1, 0); });
    if (pricing_.acknowledgements) {
      routes_.route(to, from, [&](std::uint32_t link) { add(unused_.number(link), 0, 1); });
    }
    if (!platform_.kinds_alike()) [[unlikely]] {
      figures = figures_.keep(figures_of(from, to, {hops, count}));
      return count;
    }
    double alone_bytes_per_s = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < count; ++i) {
      const NetworkLink& link = links_[hops[i].link()];
      alone_bytes_per_s = std::min(alone_bytes_per_s,
                                   link.capacity_bytes_per_s / hops[i].consumption(link.fatpipe));
    }
    std::vector<const RouteFigures*>& variants = variants_of_class_[route_class];
    for (const RouteFigures* known : variants) {
      if (known->alone_bytes_per_s == std::min(known->cap_bytes_per_s, alone_bytes_per_s)) {
        figures = known;
        return count;
      }
    }
    figures = figures_.keep(figures_of(from, to, {hops, count}));
    variants.push_back(figures);
    return count;
  }

  [[nodiscard]] RouteFigures figures_of(std::uint32_t from, std::uint32_t to,
                                        std::span<const Hop> hops) {
    const double latency_s = platform_.route(from, to).latency_s;  // throws if there is no route
    bandwidths_.clear();
    routes_.route(from, to, [this](std::uint32_t link) {
      bandwidths_.push_back(links_[unused_.number(link)].capacity_bytes_per_s);
    });
    return route_figures(pricing_, latency_s, bandwidths_, hops, links_);
  }

  ClusterPlatform platform_;
  std::shared_ptr<const Cluster> cluster_;
  const Routes& routes_;
  std::uint32_t hosts_;
  LinkRange unused_;  // links of the platform that no route here crosses, and that have no number
  RoutePricing pricing_;
  bool simple_;
  std::size_t longest_;  // number of hops of the longest route
  std::vector<Recent> recent_;
  std::vector<Hop> hops_of_slot_;  // longest_ entries per slot
  FiguresTable figures_;
  std::vector<double> bandwidths_;  // scratch: bandwidths of the links of one route
  // Figures of each route class, if routes cross each link once; null: not computed yet.
  std::vector<const RouteFigures*> of_class_;
  // The different figures found so far for each route class, if routes may cross links more than
  // once.
  std::vector<std::vector<const RouteFigures*>> variants_of_class_;
};

}}  // namespace tutti::platforms
