#include "platforms/gpu_routes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tutti { inline namespace platforms {

GpuRoutes::GpuRoutes(const GpuPlatform& platform)
    : platform_(platform),
      inner_(inner_network(platform)),
      cables_{.hosts = platform.hosts(), .ways = 2, .loopback = true},
      gpus_of_card_(platform.gpus / std::max(platform.cards, 1U)),
      leaves_(platform.leaves_of_unit()),
      first_pcie_(static_cast<std::uint32_t>(inner_.links.size())),
      first_card_(first_pcie_ + 2 * platform.gpus),
      first_memory_(first_card_ + 2 * platform.cards),
      links_of_node_(first_memory_ + platform.gpus),
      first_trunk_(links_of_node_ * platform.nodes),
      first_pod_(first_trunk_ + (platform.has_units() ? 2 * leaves_ * platform.units() : 0)),
      first_pair_(first_pod_ + (platform.has_pods() ? 2 * leaves_ * platform.pods() : 0)) {
  TUTTI_INVARIANT(longest() <= kMostLinks);
}

std::vector<GroupsWithLinks> GpuRoutes::exchangeable_groups() const {
  std::vector<GroupsWithLinks> found{{platform_.gpus, 0, links_of_node_}};
  if (platform_.has_units()) {
    found.push_back(
        {platform_.gpus * platform_.unit, first_trunk_, 2 * leaves_, !platform_.has_pairs()});
  }
  if (platform_.has_pods()) {
    found.push_back({platform_.gpus * platform_.pod, first_pod_, 2 * leaves_});
  }
  return found;
}

ClusterLinkKind GpuRoutes::kind(std::uint32_t link) const {
  if (link >= first_trunk_) {
    return link < first_pod_    ? ClusterLinkKind::router
           : link < first_pair_ ? ClusterLinkKind::chassis
                                : ClusterLinkKind::group;
  }
  const std::uint32_t own = link % links_of_node_;
  return own < first_pcie_     ? ClusterLinkKind::inner
         : own < first_card_   ? ClusterLinkKind::pcie
         : own < first_memory_ ? ClusterLinkKind::cable
                               : ClusterLinkKind::loopback;
}

std::string GpuRoutes::link_name(std::uint32_t link) const {
  if (link >= first_pair_) {
    const auto [from, to] = groups_of(link);
    return fmt::format("unit-{}-to-unit-{}", from, to);
  }
  if (link >= first_trunk_) {
    const bool of_pod = link >= first_pod_;
    const std::uint32_t own = link - (of_pod ? first_pod_ : first_trunk_);
    return fmt::format("{}-{}-{}-{}_{}", of_pod ? "pod" : "unit", own / 2 / leaves_,
                       of_pod ? "spine" : "leaf", own / 2 % leaves_, own % 2 == 0 ? "up" : "down");
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

std::pair<std::uint32_t, std::uint32_t> GpuRoutes::groups_of(std::uint32_t link) const {
  const std::uint32_t others = platform_.units() - 1;
  const std::uint32_t from = (link - first_pair_) / others;
  const std::uint32_t other = (link - first_pair_) % others;
  return {from, other + (other >= from ? 1 : 0)};
}

LinkPlace GpuRoutes::place_between_nodes(std::uint32_t link) const {
  if (link >= first_pair_) {
    const auto [from, to] = groups_of(link);
    return {fmt::format("cables from unit {} to unit {}", from, to), "cables between units"};
  }
  const bool of_pod = link >= first_pod_;
  const std::uint32_t own = link - (of_pod ? first_pod_ : first_trunk_);
  const std::uint32_t part = own / 2 / leaves_;
  const char* const direction = own % 2 == 0 ? "up-link" : "down-link";
  const std::uint32_t nodes = of_pod ? platform_.pod : platform_.unit;
  const std::string where = nodes == 1
                                ? fmt::format("node {}", part)
                                : fmt::format("nodes {}-{}", part * nodes, (part + 1) * nodes - 1);
  if (of_pod) {
    const std::string rail = leaves_ > 1 ? fmt::format("rail {} of ", own / 2 % leaves_) : "";
    return {fmt::format("{} of {}pod {} ({})", direction, rail, part, where),
            fmt::format("pod {}s", direction)};
  }
  return {fmt::format("{} of leaf switch {} of unit {} ({})", direction, own / 2 % leaves_, part,
                      where),
          fmt::format("leaf {}s", direction)};
}

LinkPlace GpuRoutes::link_place(std::uint32_t link) const {
  if (link >= first_trunk_) {
    return place_between_nodes(link);
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

std::string GpuRoutes::switch_name(std::uint32_t of) const {
  return fmt::format("the switch of node {}", of - cables_.hosts);
}

std::uint32_t GpuRoutes::switch_above(std::uint32_t one, std::uint32_t other) const {
  if (one != other) {
    throw UserError(fmt::format("{} and {} have no switch above them that reduces",
                                switch_name(one), switch_name(other)));
  }
  return one;
}

PlatformShape GpuRoutes::shape() const {
  return {.kind = "gpus",
          .dimensions = {},
          .hosts_per_group = platform_.has_units() ? platform_.unit * platform_.gpus : 0,
          .link_ends = [routes = *this](std::uint32_t link) { return routes.link_ends(link); }};
}

LinkEnds GpuRoutes::link_ends(std::uint32_t link) const {
  if (link >= first_trunk_) {
    return ends_above_leaves(link);
  }
  const std::uint32_t node = link / links_of_node_;
  const std::uint32_t own = link % links_of_node_;
  const auto gpu = [this, node](std::uint32_t number) {
    const std::uint32_t host = node * platform_.gpus + number;
    return NetworkNode{fmt::format("GPU {} of node {}", number, node), host, 0, node};
  };
  const auto other = [](std::string name, std::uint32_t level, std::uint32_t group) {
    return NetworkNode{std::move(name), NetworkNode::kNoHost, level, group};
  };
  const auto card_node = [&](std::uint32_t number) {
    return other(fmt::format("card {} of node {}", number, node), 1, node);
  };
  switch (kind(link)) {
    case ClusterLinkKind::inner: {
      const InnerLink& ends = inner_.links[own];
      const auto end = [&](std::uint32_t number) {
        return number == InnerLink::kSwitch ? other(fmt::format("switch of node {}", node), 1, node)
                                            : gpu(number);
      };
      return {end(ends.from), end(ends.to)};
    }
    case ClusterLinkKind::pcie: {
      const std::uint32_t number = (own - first_pcie_) / 2;
      LinkEnds ends{gpu(number), card_node(number / gpus_of_card_)};
      return (own - first_pcie_) % 2 == 0 ? ends : LinkEnds{ends.to, ends.from};
    }
    case ClusterLinkKind::cable: {
      const std::uint32_t number = (own - first_card_) / 2;
      LinkEnds ends{card_node(number), leaf_node(node / platform_.unit, leaf_of_card(number))};
      return (own - first_card_) % 2 == 0 ? ends : LinkEnds{ends.to, ends.from};
    }
    default:
      return {gpu(own - first_memory_), gpu(own - first_memory_)};
  }
}

NetworkNode GpuRoutes::leaf_node(std::uint32_t unit, std::uint32_t leaf) const {
  const std::string number = leaves_ > 1 ? fmt::format(" {}", leaf) : "";
  const std::string of = platform_.has_units() ? fmt::format(" of unit {}", unit) : "";
  return {fmt::format("leaf switch{}{}", number, of), NetworkNode::kNoHost, 2,
          NetworkNode::kNoGroup};
}

LinkEnds GpuRoutes::ends_above_leaves(std::uint32_t link) const {
  const auto above = [](std::string name, std::uint32_t level) {
    return NetworkNode{std::move(name), NetworkNode::kNoHost, level, NetworkNode::kNoGroup};
  };
  const auto of_rail = [this](std::uint32_t leaf) {
    return leaves_ > 1 ? fmt::format(" of rail {}", leaf) : std::string();
  };
  const auto spine = [&](std::uint32_t unit, std::uint32_t leaf) {
    return above(platform_.has_pairs()  ? fmt::format("cables of unit {}", unit)
                 : platform_.has_pods() ? fmt::format("spines{} of pod {}", of_rail(leaf),
                                                      unit * platform_.unit / platform_.pod)
                                        : fmt::format("spines{}", of_rail(leaf)),
                 3);
  };
  if (link >= first_pair_) {
    const auto [from, to] = groups_of(link);
    return {spine(from, 0), spine(to, 0)};
  }
  const bool of_pod = link >= first_pod_;
  const std::uint32_t own = link - (of_pod ? first_pod_ : first_trunk_);
  const std::uint32_t part = own / 2 / leaves_;
  const std::uint32_t leaf = own / 2 % leaves_;
  LinkEnds ends = of_pod ? LinkEnds{spine(part * platform_.pod / platform_.unit, leaf),
                                    above(fmt::format("top switches{}", of_rail(leaf)), 4)}
                         : LinkEnds{leaf_node(part, leaf), spine(part, leaf)};
  return own % 2 == 0 ? ends : LinkEnds{ends.to, ends.from};
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
