#include "src/steps/jobs/link_losses.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "platforms/cluster_platform.hpp"
#include "sim/messages/message_network.hpp"
#include "src/simulation/flow_run.hpp"
#include "src/simulation/switch_places.hpp"

namespace tutti { inline namespace steps {

namespace {

std::size_t job_of(OpId id, const std::vector<OpId>& ends) {
  return static_cast<std::size_t>(std::ranges::upper_bound(ends, id) - ends.begin());
}

}  // namespace

WatchListPtr watched_messages(const Schedule& schedule) {
  auto watched = std::make_shared<WatchList>();
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (schedule.op(id).is_comm()) {
      watched->ops.push_back({.id = id});
    }
  }
  return watched;
}

std::map<std::string, JobsLink> link_losses(const EngineRun& run, const std::vector<OpId>& ends) {
  std::map<std::string, JobsLink> links;
  std::unordered_map<std::uint32_t, JobsLink*> by_number;
  for (const NamedLinkStatistics& each : run.links) {
    JobsLink& link = links[each.name];
    link.place = each.place;
    link.capacity_bytes_per_s = each.statistics.capacity_bytes_per_s;
    link.lost_s.assign(ends.size(), 0);
    by_number[each.statistics.link] = &link;
    if (ends.size() == 1) {
      link.lost_s.front() = each.statistics.lost_s;
    }
  }
  if (ends.size() > 1) {
    for (const FlowStretch& each : run.record.stretches) {
      if (each.link != kNoLink && each.link < FlowRecord::kCoresOfHost) {
        by_number.at(each.link)->lost_s[job_of(each.id, ends)] +=
            each.until_s - each.from_s - each.moving_s;
      }
    }
  }
  return links;
}

std::map<std::string, std::map<std::size_t, std::uint64_t>> bytes_of_links(
    const Schedule& schedule, const Machine& machine, const std::vector<OpId>& ends) {
  FlowNetwork on = flow_network(schedule.ranks(), machine);
  if (schedule.switches() > 0) {
    place_switches(schedule, *machine.files.cluster, on.setup);
  }
  // By link and job.
  std::vector<std::uint64_t> sent;
  std::vector<bool> uses;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (!op.is_comm() || op.bytes() == 0) {
      continue;
    }
    const NetworkRoute route = route_of_message(*on.network, on.setup.host_of_rank, op);
    const std::size_t job = job_of(id, ends);
    for (const Hop hop : route.hops) {
      const std::size_t at = hop.link() * ends.size() + job;
      if (at >= sent.size()) {
        sent.resize((hop.link() + 1) * ends.size());
        uses.resize(sent.size());
      }
      sent[at] += hop.forward() * op.bytes();
      uses[at] = true;
    }
  }
  std::map<std::string, std::map<std::size_t, std::uint64_t>> bytes;
  for (std::size_t at = 0; at < sent.size(); ++at) {
    if (uses[at]) {
      const auto link = static_cast<std::uint32_t>(at / ends.size());
      bytes[on.network->link_name(link)][at % ends.size()] = sent[at];
    }
  }
  return bytes;
}

}}  // namespace tutti::steps
