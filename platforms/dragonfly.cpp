#include "platforms/dragonfly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {
namespace {

constexpr const char* kDragonfly = "dragonfly";

// Returns the product, or 2^32 - 1 if the product is larger. That value is above all limits, and
// can be multiplied by a 32-bit number without overflow.
std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) {
  return std::min(a * b, std::uint64_t{std::numeric_limits<std::uint32_t>::max()});
}

void check(const Dragonfly& d) {
  const std::array<std::pair<std::string_view, std::uint32_t>, 7> counts = {
      {{"groups", d.groups},
       {"chassis", d.chassis},
       {"routers", d.routers},
       {"nodes", d.nodes},
       {"group-cables", d.group_cables},
       {"chassis-cables", d.chassis_cables},
       {"router-cables", d.router_cables}}};
  constexpr std::uint32_t kMaxCount = 65536;
  for (const auto& [name, count] : counts) {
    if (count == 0 || count > kMaxCount) {
      throw UserError(
          fmt::format("dragonfly: {} is {}; it must be 1 to {}", name, count, kMaxCount));
    }
  }
  if (d.groups > d.routers) {  // SimGrid would look for routers that do not exist
    throw UserError(
        fmt::format("dragonfly: groups is {}, but routers is {}; groups must not exceed routers, "
                    "because router j of the first chassis leads to group j",
                    d.groups, d.routers));
  }
  const std::uint64_t routers = capped_product(capped_product(d.groups, d.chassis), d.routers);
  if (capped_product(routers, d.nodes) > kMaxPlatformHosts) {
    throw UserError(fmt::format(
        "dragonfly: {} groups x {} chassis x {} routers x {} nodes are more than {} hosts",
        d.groups, d.chassis, d.routers, d.nodes, kMaxPlatformHosts));
  }
  const std::uint64_t links =
      capped_product(routers, std::uint64_t{d.routers - 1} + (d.chassis - 1)) / 2 +
      capped_product(routers, d.nodes);
  if (links > kMaxPlatformCables) {
    throw UserError(fmt::format(
        "dragonfly: chassis of {} routers, all wired to each other, need {} links in total; at "
        "most {} are allowed",
        d.routers, links, kMaxPlatformCables));
  }
}

// Returns the number of links on the longest route, including the links of both hosts.
std::uint64_t longest_route_links(const Dragonfly& d) {
  const std::uint64_t in_group = (d.routers > 1 ? 1U : 0U) + (d.chassis > 1 ? 1U : 0U);
  return 2 + (d.groups > 1 ? 1 + 2 * in_group : in_group);
}

}  // namespace

Dragonfly dragonfly_for(std::uint64_t hosts, double taper) {
  check_hosts(kDragonfly, hosts);
  if (!std::isfinite(taper) || taper <= 0) {
    throw UserError(fmt::format("dragonfly: taper is {}; it must be above 0", taper));
  }
  Dragonfly best;
  double best_imbalance = std::numeric_limits<double>::infinity();
  for (std::uint64_t groups = 2; groups <= hosts; ++groups) {
    if (hosts % groups != 0) {
      continue;
    }
    const std::uint64_t in_group = hosts / groups;
    for (std::uint64_t routers = groups; routers <= in_group; ++routers) {
      if (in_group % routers != 0) {
        continue;
      }
      const std::uint64_t nodes = in_group / routers;
      const double imbalance =
          std::abs(std::log2(static_cast<double>(routers) / static_cast<double>(2 * nodes)));
      // If several dragonflies are equally balanced, the one with the most groups is chosen.
      if (imbalance <= best_imbalance) {
        best_imbalance = imbalance;
        best.groups = static_cast<std::uint32_t>(groups);
        best.routers = static_cast<std::uint32_t>(routers);
        best.nodes = static_cast<std::uint32_t>(nodes);
      }
    }
  }
  if (best.groups < 2) {
    throw UserError(
        fmt::format("dragonfly: hosts {} cannot be divided into 2 or more groups with at least as "
                    "many routers per group as groups; give a number of hosts such as 128, or "
                    "groups, routers and nodes",
                    hosts));
  }
  const double wanted = taper * best.routers * best.nodes / (best.groups - 1.0);
  best.group_cables =
      static_cast<std::uint32_t>(std::clamp(std::ceil(wanted - 1e-9), 1.0, 65536.0));
  return best;
}

std::string to_xml(const Dragonfly& d) {
  check(d);
  check_link(kDragonfly, d.link);
  ClusterTag tag;
  tag.kind = kDragonfly;
  tag.topology = "DRAGONFLY";
  tag.topo_parameters = fmt::format("{},{};{},{};{},{};{}", d.groups, d.group_cables, d.chassis,
                                    d.chassis_cables, d.routers, d.router_cables, d.nodes);
  tag.hosts = std::uint64_t{d.groups} * d.chassis * d.routers * d.nodes;
  tag.link = d.link;
  tag.node = d.node;
  tag.note = d.note;
  tag.description = {
      fmt::format("Dragonfly of {} hosts: {} groups x {} chassis x {} routers x {} hosts.",
                  tag.hosts, d.groups, d.chassis, d.routers, d.nodes),
      fmt::format("Cables: {} between two groups, {} between two routers of a chassis, {} between",
                  d.group_cables, d.router_cables, d.chassis_cables),
      "routers in the same place of two chassis; several act as one link, that many times as wide.",
      fmt::format("Each cable: {} and {} in each direction.",
                  bandwidth_text(d.link.bandwidth_bytes_per_s), latency_text(d.link.latency_s)),
      fmt::format("A message passes 2 links at one router, {} on the longest route.",
                  longest_route_links(d))};
  return cluster_xml(tag);
}

}}  // namespace tutti::platforms
