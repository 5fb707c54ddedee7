// Describes the links of a cluster in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platforms/cluster_routes.hpp"

namespace tutti { inline namespace platforms {

namespace {

// Returns the place of the link between a host and its switch.
LinkPlace host_link(std::uint32_t host, const std::string& number, std::uint32_t link,
                    std::uint32_t ways) {
  if (ways == 1) {
    return {fmt::format("link{} of host {}", number, host), kHostLinks};
  }
  return {fmt::format("host {} {}{}", host, link % 2 == 0 ? "up" : "down", number), kHostLinks};
}

LinkPlace loopback(std::uint32_t host) {
  return {fmt::format("loopback of host {}", host), kLoopbacks};
}

std::string dimension_name(std::uint32_t dimension) {
  return dimension < 3 ? std::string(1, static_cast<char>('x' + dimension))
                       : fmt::format("dimension {}", dimension + 1);
}

// Returns the names of both ends of a link, with the direction if the link has one.
std::string ends(const std::string& first, const std::string& second, std::uint32_t link,
                 std::uint32_t ways) {
  if (ways == 1) {
    return fmt::format("{} - {}", first, second);
  }
  return link % 2 == 0 ? fmt::format("{} -> {}", first, second)
                       : fmt::format("{} -> {}", second, first);
}

// Returns the links of the given cables, and the loopback of the host if it has one.
std::vector<std::uint32_t> links_of_cables(std::vector<std::uint32_t> cables,
                                           const ClusterCables& all, std::uint32_t host,
                                           std::uint32_t first_loopback) {
  std::sort(cables.begin(), cables.end());
  cables.erase(std::unique(cables.begin(), cables.end()), cables.end());
  std::vector<std::uint32_t> links;
  for (const std::uint32_t cable : cables) {
    for (std::uint32_t link = all.up(cable); link <= all.down(cable); ++link) {
      links.push_back(link);
    }
  }
  if (all.loopback) {
    links.push_back(first_loopback + host);
  }
  return links;
}

}  // namespace

std::vector<std::uint32_t> StarRoutes::links_of(std::uint32_t host) const {
  return links_of_cables({host}, cables_, host, first_loopback());
}

std::vector<std::uint32_t> TorusRoutes::links_of(std::uint32_t host) const {
  std::vector<std::uint32_t> cables;
  std::uint32_t stride = 1;
  for (std::uint32_t dim = 0; dim < dimensions_; ++dim) {
    const std::uint32_t side = sides_[dim];
    const std::uint32_t place = places_[std::size_t{host} * dimensions_ + dim];
    const std::uint32_t before = place == 0 ? host + (side - 1) * stride : host - stride;
    cables.push_back(host * dimensions_ + dim);
    cables.push_back(before * dimensions_ + dim);
    stride *= side;
  }
  return links_of_cables(std::move(cables), cables_, host, first_loopback());
}

std::vector<std::uint32_t> FatTreeRoutes::links_of(std::uint32_t host) const {
  std::vector<std::uint32_t> cables(std::size_t{up_[0]} * parallel_[0]);
  std::iota(cables.begin(), cables.end(), host * static_cast<std::uint32_t>(cables.size()));
  return links_of_cables(std::move(cables), cables_, host, first_loopback());
}

std::vector<std::uint32_t> DragonflyRoutes::links_of(std::uint32_t host) const {
  return links_of_cables({host}, cables_, host, first_loopback());
}

LinkPlace StarRoutes::link_place(std::uint32_t link) const {
  switch (kind(link)) {
    case ClusterLinkKind::cable:
      return host_link(link / cables_.ways, "", link, cables_.ways);
    case ClusterLinkKind::backbone:
      return {"backbone", "backbone"};
    default:
      return loopback(link - first_loopback());
  }
}

LinkPlace TorusRoutes::link_place(std::uint32_t link) const {
  if (link >= first_loopback()) {
    return loopback(link - first_loopback());
  }
  const auto [host, next, dim] = cable_ends(link / cables_.ways);
  const bool back = cables_.ways == 2 && link % 2 == 1;
  const std::uint32_t sender = back ? next : host;
  const std::string dimension = dimension_name(dim);
  const std::span<const std::uint32_t> at{&places_[std::size_t{sender} * dimensions_], dimensions_};
  return {fmt::format("torus link {}{} of host ({})",
                      cables_.ways == 1 ? "+-"
                      : back            ? "-"
                                        : "+",
                      dimension, fmt::join(at, ",")),
          fmt::format("torus {} links", dimension)};
}

LinkPlace FatTreeRoutes::link_place(std::uint32_t link) const {
  if (link >= first_loopback()) {
    return loopback(link - first_loopback());
  }
  const CableEnds cable = cable_ends(link / cables_.ways);
  const std::uint32_t cables = up_[cable.level] * parallel_[cable.level];
  const std::uint32_t count = parallel_[cable.level];
  const ParallelLinks parallel{count, link - cable.port % count * cables_.ways};
  if (cable.level == 0) {
    LinkPlace place = host_link(cable.node, cables == 1 ? "" : fmt::format(" {}", cable.port), link,
                                cables_.ways);
    place.parallel = parallel;
    return place;
  }
  std::uint32_t hosts = 1;  // number of hosts below the node
  for (std::uint32_t level = 0; level < cable.level; ++level) {
    hosts *= down_[level];
  }
  const std::string of_level = cable.level == 1 ? "leaf" : fmt::format("level {}", cable.level);
  const std::string direction = cables_.ways == 1 ? "link"
                                : link % 2 == 0   ? "up-link"
                                                  : "down-link";
  const std::uint32_t first = cable.node / level_[cable.level].parents * hosts;
  return {fmt::format("{} {} of {} switch {} ({})", direction, cable.port, of_level, cable.node,
                      hosts_in_words(first, hosts)),
          fmt::format("{} {}s", of_level, direction), parallel};
}

LinkPlace DragonflyRoutes::link_place(std::uint32_t link) const {
  const std::uint32_t cable = link / cables_.ways;
  const auto router = [this](std::uint32_t chassis, std::uint32_t place) {
    return numbers_.chassis == 1 ? fmt::format("router {}", place)
                                 : fmt::format("router ({},{})", chassis, place);
  };
  switch (kind(link)) {
    case ClusterLinkKind::loopback:
      return loopback(link - first_loopback());
    case ClusterLinkKind::group: {
      const auto [first, second] = nth_pair(cable - first_group_cable_, numbers_.groups);
      return {"global link " + ends(fmt::format("group {}", first), fmt::format("group {}", second),
                                    link, cables_.ways),
              kGlobalLinks};
    }
    case ClusterLinkKind::chassis: {
      const std::uint32_t number = cable - first_chassis_cable_;
      const std::uint32_t per_group = chassis_pairs_ * numbers_.routers;
      const auto [first, second] =
          nth_pair(number % per_group / numbers_.routers, numbers_.chassis);
      const std::uint32_t place = number % numbers_.routers;
      return {fmt::format("local link of group {}: {}", number / per_group,
                          ends(router(first, place), router(second, place), link, cables_.ways)),
              kBlackLinks};
    }
    case ClusterLinkKind::router: {
      const std::uint32_t number = cable - first_router_cable_;
      const auto [first, second] = nth_pair(number % router_pairs_, numbers_.routers);
      const std::uint32_t chassis = number / router_pairs_;
      const std::uint32_t in_group = chassis % numbers_.chassis;
      return {
          fmt::format("local link of group {}: {}", chassis / numbers_.chassis,
                      ends(router(in_group, first), router(in_group, second), link, cables_.ways)),
          kGreenLinks};
    }
    default:
      return host_link(cable, "", link, cables_.ways);
  }
}

}}  // namespace tutti::platforms
