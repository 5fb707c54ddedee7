#include "platforms/gpu_routes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

GpuRoutes::GpuRoutes(const GpuPlatform& platform)
    : platform_(platform),
      inner_(inner_network(platform)),
      cables_{.hosts = platform.hosts(), .ways = 2, .loopback = true},
      many_units_(platform.units() > 1),
      gpus_of_card_(platform.gpus / std::max(platform.cards, 1U)),
      leaves_(platform.leaves_of_unit()),
      first_pcie_(static_cast<std::uint32_t>(inner_.links.size())),
      first_card_(first_pcie_ + 2 * platform.gpus),
      first_memory_(first_card_ + 2 * platform.cards),
      links_of_node_(first_memory_ + platform.gpus),
      first_trunk_(links_of_node_ * platform.nodes) {
  TUTTI_INVARIANT(longest() <= kMostLinks);
}

ClusterLinkKind GpuRoutes::kind(std::uint32_t link) const {
  if (link >= first_trunk_) {
    return ClusterLinkKind::router;
  }
  const std::uint32_t own = link % links_of_node_;
  return own < first_pcie_     ? ClusterLinkKind::inner
         : own < first_card_   ? ClusterLinkKind::pcie
         : own < first_memory_ ? ClusterLinkKind::cable
                               : ClusterLinkKind::loopback;
}

std::string GpuRoutes::link_name(std::uint32_t link) const {
  if (link >= first_trunk_) {
    const std::uint32_t leaf = (link - first_trunk_) / 2;
    return fmt::format("unit-{}-leaf-{}_{}", leaf / leaves_, leaf % leaves_,
                       (link - first_trunk_) % 2 == 0 ? "up" : "down");
  }
  const std::uint32_t node = link / links_of_node_;
  const std::uint32_t own = link % links_of_node_;
  switch (kind(link)) {
    case ClusterLinkKind::inner: {
      const InnerLink& ends = inner_.links[own];
      if (ends.from == InnerLink::kSwitch || ends.to == InnerLink::kSwitch) {
        return fmt::format("node-{}-gpu-{}_{}", node, std::min(ends.from, ends.to),
                           ends.to == InnerLink::kSwitch ? "up" : "down");
      }
      return fmt::format("node-{}-gpu-{}-to-{}", node, ends.from, ends.to);
    }
    case ClusterLinkKind::pcie:
      return fmt::format("node-{}-gpu-{}_pcie_{}", node, (own - first_pcie_) / 2,
                         (own - first_pcie_) % 2 == 0 ? "out" : "in");
    case ClusterLinkKind::cable:
      return fmt::format("node-{}-card-{}_{}", node, (own - first_card_) / 2,
                         (own - first_card_) % 2 == 0 ? "out" : "in");
    default:
      return fmt::format("node-{}-gpu-{}_loopback", node, own - first_memory_);
  }
}

LinkPlace GpuRoutes::link_place(std::uint32_t link) const {
  if (link >= first_trunk_) {
    const std::uint32_t leaf = (link - first_trunk_) / 2;
    const std::uint32_t unit = leaf / leaves_;
    const char* const direction = (link - first_trunk_) % 2 == 0 ? "up-link" : "down-link";
    const std::uint32_t hosts = platform_.unit * platform_.gpus;
    return {fmt::format("{} of leaf switch {} of unit {} ({})", direction, leaf % leaves_, unit,
                        hosts_in_words(unit * hosts, hosts)),
            fmt::format("leaf {}s", direction)};
  }
  const std::uint32_t node = link / links_of_node_;
  const std::uint32_t own = link % links_of_node_;
  switch (kind(link)) {
    case ClusterLinkKind::inner: {
      const InnerLink& ends = inner_.links[own];
      return {ends.to == InnerLink::kSwitch
                  ? fmt::format("GPU {} of node {} to the node's switch", ends.from, node)
              : ends.from == InnerLink::kSwitch
                  ? fmt::format("node {}'s switch to its GPU {}", node, ends.to)
                  : fmt::format("GPU {} to GPU {} of node {}", ends.from, ends.to, node),
              "links between GPUs"};
    }
    case ClusterLinkKind::pcie:
      return {fmt::format("PCIe of GPU {} of node {}, {}", (own - first_pcie_) / 2, node,
                          (own - first_pcie_) % 2 == 0 ? "out" : "in"),
              "PCIe links"};
    case ClusterLinkKind::cable:
      return {fmt::format("card {} of node {}, {}", (own - first_card_) / 2, node,
                          (own - first_card_) % 2 == 0 ? "out" : "in"),
              "cards"};
    default:
      return {fmt::format("memory of GPU {} of node {}", own - first_memory_, node), kLoopbacks};
  }
}

std::vector<std::uint32_t> GpuRoutes::links_of(std::uint32_t host) const {
  const std::uint32_t gpu = host % platform_.gpus;
  const std::uint32_t node = host / platform_.gpus;
  std::vector<std::uint32_t> links;
  for (std::uint32_t link = 0; link < inner_.links.size(); ++link) {
    if (inner_.links[link].from == gpu || inner_.links[link].to == gpu) {
      links.push_back(inner_link(node, link));
    }
  }
  links.insert(links.end(), {pcie_out(host), pcie_in(host)});
  if (gpus_of_card_ == 1 && platform_.cards > 0) {
    links.insert(links.end(), {card_out(node, card(host)), card_in(node, card(host))});
  }
  links.push_back(memory(host));
  return links;
}

}}  // namespace tutti::platforms
