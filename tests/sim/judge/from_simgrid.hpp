// Converts a platform loaded by SimGrid to the plain figures that the judge needs.
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <unordered_map>

#include "platforms/simgrid/simgrid_platform.hpp"
#include "tests/sim/judge/judge.hpp"

namespace tutti {

// Returns, in the judge's form, the hosts of the ranks and the routes of all messages in
// `schedule`.
inline JudgePlatform judge_platform(const SimGridPlatform& loaded, const RankHosts& hosts,
                                    const Schedule& schedule, double copy_s_per_byte) {
  JudgePlatform plain;
  plain.flops_per_byte = hosts.flops_per_byte;
  plain.copy_s_per_byte = copy_s_per_byte;
  plain.free_transfers = hosts.free_transfers;
  std::unordered_map<const simgrid::s4u::Host*, std::uint32_t> host_index;
  for (const simgrid::s4u::Host* host : hosts.host_of_rank) {
    const auto [at, is_new] =
        host_index.try_emplace(host, static_cast<std::uint32_t>(plain.hosts.size()));
    if (is_new) {
      plain.hosts.push_back(
          {host->get_speed(), static_cast<std::uint32_t>(host->get_core_count())});
    }
    plain.host_of_rank.push_back(at->second);
  }
  std::unordered_map<const simgrid::s4u::Link*, std::uint32_t> link_index;
  for (const Op& op : schedule.ops()) {
    if (!op.is_comm()) {
      continue;
    }
    const simgrid::s4u::Host* const from = hosts.host_of_rank[op.src()];
    const simgrid::s4u::Host* const to = hosts.host_of_rank[op.dst()];
    const auto [route, is_new] = plain.routes.try_emplace({host_index[from], host_index[to]});
    if (!is_new) {
      continue;
    }
    const SimGridPlatform::Links found = loaded.links_between(from, to);
    route->second.latency_s = found.latency_s;
    for (const simgrid::s4u::Link* link : found.links) {
      const auto [at, new_link] =
          link_index.try_emplace(link, static_cast<std::uint32_t>(plain.links.size()));
      if (new_link) {
        plain.links.push_back(
            {link->get_bandwidth(),
             link->get_sharing_policy() == simgrid::s4u::Link::SharingPolicy::FATPIPE});
      }
      auto& links = route->second.links;
      const auto crossed = std::find_if(links.begin(), links.end(), [index = at->second](auto hop) {
        return hop.first == index;
      });
      if (crossed == links.end()) {
        links.emplace_back(at->second, 1);
      } else {
        ++crossed->second;
      }
    }
  }
  return plain;
}

}  // namespace tutti
