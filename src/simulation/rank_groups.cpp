#include "src/simulation/rank_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "platforms/cluster_platform.hpp"
#include "platforms/rank_places.hpp"

namespace tutti { inline namespace simulation {

namespace {

// Returns the group of each host, where `kind` says what forms a group.
std::vector<std::uint32_t> groups_of(GroupLevel::Kind kind, const Machine& machine,
                                     std::uint32_t hosts) {
  std::vector<std::uint32_t> groups(hosts);
  const auto cluster = known_cluster(machine);
  if (kind == GroupLevel::Kind::host || kind == GroupLevel::Kind::node) {
    const bool of_gpus = kind == GroupLevel::Kind::node && cluster != nullptr;
    const std::uint32_t each = of_gpus ? cluster->hosts_per_node() : 1;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      groups[host] = host / each;
    }
    return groups;
  }
  if (kind == GroupLevel::Kind::leaf_switch) {
    if (machine.built_in()) {
      return groups;  // all hosts are at one switch
    }
    groups = cluster == nullptr ? std::vector<std::uint32_t>() : cluster->leaf_of_hosts();
    if (groups.empty()) {
      throw UserError(
          fmt::format("$groups 'switch': {} does not say which hosts share a switch; write host, "
                      "or the number of ranks in a group",
                      platform_name(machine)));
    }
    return groups;
  }
  groups = cluster == nullptr ? std::vector<std::uint32_t>() : cluster->group_of_hosts();
  if (groups.empty()) {
    throw UserError(fmt::format(
        "$groups 'group': {} has no groups of hosts, unlike a dragonfly; write host, node, "
        "switch, or the number of ranks in a group",
        platform_name(machine)));
  }
  return groups;
}

}  // namespace

void place_groups(const Machine& machine, Problem& problem) {
  if (problem.groups.known()) {
    return;
  }
  const std::vector<std::uint32_t> host_of_rank = hosts_of_ranks(machine.mapping);
  TUTTI_INVARIANT(host_of_rank.size() == problem.ranks);
  const std::uint32_t hosts = 1 + *std::max_element(host_of_rank.begin(), host_of_rank.end());
  for (GroupLevel& level : problem.groups.levels) {
    if (level.known()) {
      continue;
    }
    const std::vector<std::uint32_t> groups = groups_of(level.kind, machine, hosts);
    std::vector<std::uint32_t> group_of_rank;
    group_of_rank.reserve(host_of_rank.size());
    for (const std::uint32_t host : host_of_rank) {
      // If the ranks do not fit on the hosts, the check of the machine says so later.
      group_of_rank.push_back(host < groups.size() ? groups[host] : host);
    }
    level = group_level(group_of_rank);
  }
}

}}  // namespace tutti::simulation
