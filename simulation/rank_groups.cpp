#include "simulation/rank_groups.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "platforms/cluster_platform.hpp"
#include "platforms/rank_places.hpp"

namespace tutti {

namespace {

// How many consecutive hosts make a group of a kind.
std::uint32_t hosts_of(GroupLevel::Kind kind, const Machine& machine) {
  if (kind == GroupLevel::Kind::host) {
    return 1;
  }
  const auto cluster = known_cluster(machine);
  if (kind == GroupLevel::Kind::leaf_switch) {
    if (machine.built_in()) {
      return machine.source.crossbar.hosts;  // around one switch
    }
    const std::uint32_t hosts = cluster == nullptr ? 0 : cluster->hosts_per_switch();
    if (hosts == 0) {
      throw UserError(
          fmt::format("--groups 'switch': {} does not say which hosts are at one switch; accepted "
                      "is host, or how many ranks make a group",
                      platform_name(machine)));
    }
    return hosts;
  }
  const std::uint32_t hosts = cluster == nullptr ? 0 : cluster->shape().hosts_per_group;
  if (hosts == 0) {
    throw UserError(fmt::format(
        "--groups 'group': {} has no groups of hosts, as dragonflies have; accepted is host, "
        "switch, or how many ranks make a group",
        platform_name(machine)));
  }
  return hosts;
}

}  // namespace

void place_groups(const Machine& machine, Problem& problem) {
  if (problem.groups.known()) {
    return;
  }
  const std::vector<std::uint32_t> host_of_rank = hosts_of_ranks(machine.mapping);
  TUTTI_INVARIANT(host_of_rank.size() == problem.ranks);
  for (GroupLevel& level : problem.groups.levels) {
    if (level.known()) {
      continue;
    }
    const std::uint32_t hosts = hosts_of(level.kind, machine);
    std::vector<std::uint32_t> group_of_rank;
    group_of_rank.reserve(host_of_rank.size());
    for (const std::uint32_t host : host_of_rank) {
      group_of_rank.push_back(host / hosts);
    }
    level = group_level(group_of_rank);
  }
}

}  // namespace tutti
