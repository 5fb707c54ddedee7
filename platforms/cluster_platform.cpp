#include "platforms/cluster_platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "platforms/cluster_network.hpp"

namespace tutti { inline namespace platforms {

namespace {

// Calls ask(routes) if the switches of the topology are vertices; otherwise throws InvariantError.
template <typename Ask>
auto of_switches(const ClusterRoutes& routes, Ask&& ask) {
  using Answer = std::invoke_result_t<Ask, const StarRoutes&>;
  return std::visit(
      [&](const auto& own) -> Answer {
        if constexpr (kHasSwitches<std::remove_cvref_t<decltype(own)>>) {
          return ask(own);
        } else {
          throw InvariantError("the switches of this kind of platform have no numbers");
        }
      },
      routes);
}

}  // namespace

ClusterPlatform::ClusterPlatform(std::shared_ptr<const Cluster> cluster, std::string path,
                                 std::vector<std::string> notes)
    : cluster_(std::move(cluster)),
      figures_(cluster_->figures),
      figures_of_link_(cluster_->figures_of_link),
      name_(std::filesystem::path(path).filename().string()),
      path_(std::move(path)),
      notes_(std::move(notes)) {}

std::uint32_t ClusterPlatform::host_count() const {
  return std::visit([](const auto& routes) { return routes.cables().hosts; }, cluster_->routes);
}

std::uint32_t ClusterPlatform::link_count() const {
  return std::visit([](const auto& routes) { return routes.links(); }, cluster_->routes);
}

LinkRange ClusterPlatform::unused_links(std::uint32_t hosts) const {
  return std::visit(
      [&](const auto& routes) {
        if constexpr (requires { routes.unused_links(hosts); }) {
          return routes.unused_links(hosts);
        } else {
          return LinkRange();
        }
      },
      cluster_->routes);
}

std::uint32_t ClusterPlatform::changeable_links() const {
  const auto* const lists = std::get_if<ExplicitRoutes>(&cluster_->routes);
  return lists == nullptr ? link_count() : lists->links_in_file();
}

const ClusterLinkFigures& ClusterPlatform::link_figures(std::uint32_t link) const {
  if (!figures_of_link_.empty()) {
    return figures_of_link_[link];
  }
  const ClusterLinkKind kind =
      std::visit([&](const auto& routes) { return routes.kind(link); }, cluster_->routes);
  return figures_[static_cast<std::size_t>(kind)];
}

std::string ClusterPlatform::link_name(std::uint32_t link) const {
  return std::visit([&](const auto& routes) { return routes.link_name(link, cluster_->names); },
                    cluster_->routes);
}

std::string ClusterPlatform::link_name_in_simgrid(std::uint32_t link) const {
  if (!cluster_->names.as_crossbar) {
    return link_name(link);
  }
  return fmt::format("{}_{}", cluster_->names.own_link(link / 2), link % 2 == 0 ? "UP" : "DOWN");
}

LinkPlace ClusterPlatform::link_place(std::uint32_t link) const {
  return std::visit([&](const auto& routes) { return routes.link_place(link); }, cluster_->routes);
}

std::string ClusterPlatform::host_name(std::uint32_t host) const {
  return cluster_->names.host(host);
}

std::vector<std::uint32_t> ClusterPlatform::links_between(std::uint32_t from,
                                                          std::uint32_t to) const {
  std::vector<std::uint32_t> links;
  std::visit(
      [&](const auto& routes) {
        routes.route(from, to, [&links](std::uint32_t link) { links.push_back(link); });
      },
      cluster_->routes);
  if (links.empty()) {
    refuse_missing_route(path_, host_name(from), host_name(to));
  }
  return links;
}

PlatformView::Route ClusterPlatform::route(std::uint32_t from, std::uint32_t to) const {
  Route result{0, std::numeric_limits<double>::infinity()};
  bool any = false;
  std::visit(
      [&](const auto& routes) {
        const auto add = [&](std::uint32_t link) {
          const ClusterLinkFigures& figures =
              figures_of_link_.empty() ? figures_[static_cast<std::size_t>(routes.kind(link))]
                                       : figures_of_link_[link];
          result.latency_s += figures.latency_s;
          result.bandwidth_bytes_per_s =
              std::min(result.bandwidth_bytes_per_s, figures.bandwidth_bytes_per_s);
          any = true;
        };
        if constexpr (requires { routes.latencies(from, to, add); }) {
          routes.latencies(from, to, add);
        } else {
          routes.route(from, to, add);
        }
      },
      cluster_->routes);
  if (!any) {
    refuse_missing_route(path_, host_name(from), host_name(to));
  }
  return result;
}

PlatformView::LoopbackRoute ClusterPlatform::own_route(std::uint32_t host) const {
  LoopbackRoute result;
  const std::vector<std::uint32_t> links = links_between(host, host);
  result.first_bandwidth_bytes_per_s = link_figures(links.front()).bandwidth_bytes_per_s;
  for (const std::uint32_t link : links) {
    result.latency_s += link_figures(link).latency_s;
    result.links.push_back(link_name(link));
  }
  return result;
}

void ClusterPlatform::scale_links(double slower, double narrower) {
  const auto scale = [&](ClusterLinkFigures& figures) {
    if (slower != 1) {
      figures.latency_s *= slower;
    }
    if (narrower != 1) {
      figures.bandwidth_bytes_per_s /= narrower;
    }
  };
  std::for_each(figures_.begin(), figures_.end(), scale);
  std::for_each(figures_of_link_.begin(), figures_of_link_.end(), scale);
}

ChangeFactors ClusterPlatform::factors_of(const PlatformChanges& changes, LinkRange unused) const {
  const auto& routes = cluster_->routes;
  return tutti::factors_of(changes,
                           {.path = path_,
                            .links = changeable_links(),
                            .unused = unused,
                            .hosts = host_count(),
                            .link_name = [&](std::uint32_t link) { return link_name(link); },
                            .link_place = [&](std::uint32_t link) { return link_place(link); },
                            .host_name = [&](std::uint32_t host) { return host_name(host); },
                            .links_of_host =
                                [&](std::uint32_t host) {
                                  return std::visit(
                                      [&](const auto& own) { return own.links_of(host); }, routes);
                                }});
}

void ClusterPlatform::change(const PlatformChanges& changes, std::span<const std::uint32_t> hosts) {
  if (!changes.links.empty() || !changes.hosts.empty()) {
    ChangeFactors factors =
        factors_of(changes, hosts.empty() ? LinkRange() : unused_links(hosts.back() + 1));
    std::vector<ClusterLinkFigures> changed;
    factors.of_link.resize(link_count());
    changed.reserve(factors.of_link.size());
    for (std::uint32_t link = 0; link < factors.of_link.size(); ++link) {
      ClusterLinkFigures figures = link_figures(link);
      figures.bandwidth_bytes_per_s *= factors.of_link[link].bandwidth;
      figures.latency_s *= factors.of_link[link].latency;
      changed.push_back(figures);
    }
    figures_of_link_ = std::move(changed);
    if (!factors.of_host.empty()) {
      speed_factors_ = std::make_shared<const std::vector<double>>(std::move(factors.of_host));
    }
  }
  if (changes.unshared) {
    const auto unshare = [](ClusterLinkFigures& figures) { figures.fatpipe = true; };
    std::for_each(figures_.begin(), figures_.end(), unshare);
    std::for_each(figures_of_link_.begin(), figures_of_link_.end(), unshare);
  }
}

PlatformShape ClusterPlatform::shape() const {
  return std::visit([](const auto& routes) { return routes.shape(); }, cluster_->routes);
}

std::uint32_t ClusterPlatform::hosts_per_switch() const {
  return std::visit([](const auto& routes) { return routes.hosts_per_switch(); }, cluster_->routes);
}

std::uint32_t ClusterPlatform::hosts_per_node() const {
  const auto* const gpus = std::get_if<GpuRoutes>(&cluster_->routes);
  return gpus == nullptr ? 1 : gpus->platform().gpus;
}

std::string ClusterPlatform::rails_in_words() const {
  const auto* const gpus = std::get_if<GpuRoutes>(&cluster_->routes);
  if (gpus == nullptr || !gpus->platform().has_rails() || gpus->platform().nodes == 1 ||
      gpus->platform().cards == 1) {
    return "";
  }
  return gpus->platform().rail_of_receiver
             ? "data change to the receiver's rail within the sender's node (PXN)"
             : "data change to the receiver's GPU within the receiver's node";
}

bool ClusterPlatform::nodes_alike() const {
  const auto* const gpus = std::get_if<GpuRoutes>(&cluster_->routes);
  return gpus != nullptr && !gpus->platform().has_pairs();
}

std::vector<std::uint32_t> ClusterPlatform::pod_of_hosts() const {
  const auto* const gpus = std::get_if<GpuRoutes>(&cluster_->routes);
  return in_runs_of(gpus == nullptr ? 0 : gpus->platform().pod * gpus->platform().gpus);
}

std::vector<std::uint32_t> ClusterPlatform::leaf_of_hosts() const {
  if (const auto* const grouped = std::get_if<GroupedRoutes>(&cluster_->routes)) {
    return grouped->leaf_of_host();
  }
  return in_runs_of(hosts_per_switch());
}

std::vector<std::uint32_t> ClusterPlatform::group_of_hosts() const {
  if (const auto* const grouped = std::get_if<GroupedRoutes>(&cluster_->routes)) {
    std::vector<std::uint32_t> groups;
    groups.reserve(host_count());
    for (std::uint32_t host = 0; host < host_count(); ++host) {
      groups.push_back(grouped->group_of_host(host));
    }
    return groups;
  }
  return in_runs_of(shape().hosts_per_group);
}

std::vector<std::uint32_t> ClusterPlatform::in_runs_of(std::uint32_t each) const {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t host = 0; each > 0 && host < host_count(); ++host) {
    numbers.push_back(host / each);
  }
  return numbers;
}

std::uint32_t ClusterPlatform::switch_of_host(std::uint32_t host) const {
  return of_switches(cluster_->routes,
                     [&](const auto& routes) { return routes.switch_of_host(host); });
}

std::uint32_t ClusterPlatform::switch_above(std::uint32_t one, std::uint32_t other) const {
  return of_switches(cluster_->routes,
                     [&](const auto& routes) { return routes.switch_above(one, other); });
}

std::optional<std::uint32_t> ClusterPlatform::next_above(std::uint32_t of) const {
  return of_switches(cluster_->routes, [&](const auto& routes) { return routes.next_above(of); });
}

std::string ClusterPlatform::switch_name(std::uint32_t of) const {
  return of_switches(cluster_->routes, [&](const auto& routes) { return routes.switch_name(of); });
}

std::unique_ptr<Network> ClusterPlatform::network(std::uint32_t hosts,
                                                  const std::string& network_model) const {
  return std::visit(
      [&](const auto& routes) -> std::unique_ptr<Network> {
        return std::make_unique<ClusterNetwork<std::remove_cvref_t<decltype(routes)>>>(
            *this, cluster_, routes, figures_, hosts, route_pricing(network_model));
      },
      cluster_->routes);
}

ClusterPlatform crossbar_cluster(const Crossbar& crossbar) {
  ClusterNames names{
      .id = "crossbar", .prefix = "node-", .suffix = "", .radicals = {}, .as_crossbar = true};
  names.radicals.resize(crossbar.hosts);
  std::iota(names.radicals.begin(), names.radicals.end(), 0);
  const ClusterCables cables{.hosts = crossbar.hosts, .ways = 2, .loopback = false};
  Cluster cluster{std::move(names), StarRoutes(cables, false), {}, {crossbar.speed_flops_per_s, 1}};
  cluster.figures[static_cast<std::size_t>(ClusterLinkKind::cable)] = {
      crossbar.bandwidth_bytes_per_s, crossbar.latency_s / 2, false};
  return {std::make_shared<const Cluster>(std::move(cluster)),
          fmt::format("crossbar:{}", crossbar.hosts)};
}

}}  // namespace tutti::platforms
