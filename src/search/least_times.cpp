#include "src/search/least_times.hpp"

#include <algorithm>

#include "sim/engine.hpp"

namespace tutti { inline namespace search {

LeastTimes::LeastTimes(const Goal& goal)
    // The sender of an eager message is free before the message has arrived.
    : ports_(goal.machine->setup.eager_bytes >= 0 ? kUnlimitedPorts : goal.machine->setup.ports) {
  if (goal.problem.ranks <= kMostRanks) {
    routes_.emplace(goal);
  }
}

double LeastTimes::of(const Schedule& schedule) const {
  if (!routes_) {
    return 0;
  }
  std::vector<double> link_bytes(routes_->all_links());
  std::vector<double> sends_s(routes_->ranks());
  std::vector<double> receives_s(routes_->ranks());
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (op.kind() != OpKind::comm) {
      continue;
    }
    const RankRoute& route = routes_->route(op.src(), op.dst());
    const double bytes = static_cast<double>(op.bytes());
    for (const std::uint32_t link : routes_->links(route)) {
      link_bytes[link] += bytes;
    }
    const double alone_s = route.latency_s + bytes / route.bytes_per_s;
    sends_s[op.src()] += alone_s;
    receives_s[op.dst()] += alone_s;
  }
  double least_s = 0;
  for (std::uint32_t link = 0; link < link_bytes.size(); ++link) {
    if (link_bytes[link] > 0) {
      least_s = std::max(least_s, link_bytes[link] / routes_->capacity(link));
    }
  }
  if (ports_ != kUnlimitedPorts) {
    least_s = std::max(
        {least_s, std::ranges::max(sends_s) / ports_, std::ranges::max(receives_s) / ports_});
  }
  return least_s * (1 - 1e-9);  // sums are rounded
}

}}  // namespace tutti::search
