#include "platforms/cluster_platform.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "platforms/cluster_network.hpp"

namespace tutti {

ClusterPlatform::ClusterPlatform(std::shared_ptr<const Cluster> cluster, std::string path)
    : cluster_(std::move(cluster)),
      figures_(cluster_->figures),
      name_(std::filesystem::path(path).filename().string()),
      path_(std::move(path)) {}

std::uint32_t ClusterPlatform::host_count() const {
  return std::visit([](const auto& routes) { return routes.cables().hosts; }, cluster_->routes);
}

std::uint32_t ClusterPlatform::link_count() const {
  return std::visit([](const auto& routes) { return routes.links(); }, cluster_->routes);
}

const ClusterLinkFigures& ClusterPlatform::link_figures(std::uint32_t link) const {
  const ClusterLinkKind kind =
      std::visit([&](const auto& routes) { return routes.kind(link); }, cluster_->routes);
  return figures_[static_cast<std::size_t>(kind)];
}

std::string ClusterPlatform::link_name(std::uint32_t link) const {
  return std::visit([&](const auto& routes) { return routes.link_name(link, cluster_->names); },
                    cluster_->routes);
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
        routes.route(from, to, [&](std::uint32_t link) {
          const ClusterLinkFigures& figures = figures_[static_cast<std::size_t>(routes.kind(link))];
          result.latency_s += figures.latency_s;
          result.bandwidth_bytes_per_s =
              std::min(result.bandwidth_bytes_per_s, figures.bandwidth_bytes_per_s);
          any = true;
        });
      },
      cluster_->routes);
  if (!any) {
    refuse_missing_route(path_, host_name(from), host_name(to));
  }
  return result;
}

PlatformView::OwnRoute ClusterPlatform::own_route(std::uint32_t host) const {
  OwnRoute result;
  const std::vector<std::uint32_t> links = links_between(host, host);
  result.first_bandwidth_bytes_per_s = link_figures(links.front()).bandwidth_bytes_per_s;
  for (const std::uint32_t link : links) {
    result.latency_s += link_figures(link).latency_s;
    result.links.push_back(link_name(link));
  }
  return result;
}

void ClusterPlatform::scale_links(double slower, double narrower) {
  for (ClusterLinkFigures& figures : figures_) {
    if (slower != 1) {
      figures.latency_s *= slower;
    }
    if (narrower != 1) {
      figures.bandwidth_bytes_per_s /= narrower;
    }
  }
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

}  // namespace tutti
