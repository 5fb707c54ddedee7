#include "platforms/single_switch.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "platforms/cluster_file.hpp"

namespace tutti { inline namespace platforms {
namespace {

ClusterTag single_switch(const char* kind, const SingleSwitch& cluster) {
  check_hosts(kind, cluster.hosts);
  check_link(kind, cluster.route);
  check_node(kind, cluster.node);
  ClusterTag tag;
  tag.kind = kind;
  tag.hosts = cluster.hosts;
  tag.link = cluster.route;
  tag.link.latency_s /= 2;
  tag.node = cluster.node;
  tag.in_network = cluster.in_network;
  tag.note = cluster.note;
  return tag;
}

std::string figures(const LinkFigures& route) {
  return fmt::format("{} and {}", bandwidth_text(route.bandwidth_bytes_per_s),
                     latency_text(route.latency_s));
}

}  // namespace

std::string crossbar_to_xml(const SingleSwitch& crossbar) {
  ClusterTag tag = single_switch("crossbar", crossbar);
  tag.description = {
      fmt::format("Crossbar: {} hosts around one switch that never contends.", crossbar.hosts),
      fmt::format("Between any two hosts: {} (half of it on each of the two links).",
                  figures(crossbar.route))};
  return cluster_xml(tag);
}

std::string smp_to_xml(SingleSwitch smp) {
  if (smp.node.cores == 1) {
    throw UserError("smp: cores is 1; it must be 2 or more (for one core per host, use crossbar)");
  }
  if (!smp.node.loopback) {
    smp.node.loopback = kSharedMemory;
  }
  ClusterTag tag = single_switch("smp", smp);
  tag.description = {
      fmt::format("SMP cluster: {} hosts of {} cores around one switch that never contends.",
                  smp.hosts, smp.node.cores),
      fmt::format("Between any two hosts: {} (half of it on each of the two links),",
                  figures(smp.route)),
      "shared by the ranks of a host.",
      fmt::format("Between two ranks of a host: {}, each pair for itself.",
                  figures(*smp.node.loopback))};
  return cluster_xml(tag);
}

ClusterPlatform cluster_of(const SingleSwitch& platform, std::string path) {
  const ClusterTag tag = single_switch("crossbar", platform);
  ClusterNames names{.id = tag.kind, .prefix = "node-", .suffix = "", .radicals = {}};
  names.radicals.resize(tag.hosts);
  std::iota(names.radicals.begin(), names.radicals.end(), 0);
  const ClusterCables cables{.hosts = static_cast<std::uint32_t>(tag.hosts),
                             .ways = 2,
                             .loopback = tag.node.loopback.has_value()};
  Cluster cluster{std::move(names),
                  StarRoutes(cables, false),
                  {},
                  {tag.node.speed_flops_per_s, tag.node.cores},
                  in_network_of(tag.in_network)};
  const auto figures = [&cluster](ClusterLinkKind kind) -> ClusterLinkFigures& {
    return cluster.figures[static_cast<std::size_t>(kind)];
  };
  figures(ClusterLinkKind::cable) = {tag.link.bandwidth_bytes_per_s, tag.link.latency_s, false};
  if (tag.node.loopback) {
    figures(ClusterLinkKind::loopback) = {tag.node.loopback->bandwidth_bytes_per_s,
                                          tag.node.loopback->latency_s, true};
  }
  return {std::make_shared<const Cluster>(std::move(cluster)), std::move(path)};
}

}}  // namespace tutti::platforms
