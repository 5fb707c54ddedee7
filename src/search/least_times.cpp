#include "src/search/least_times.hpp"

#include <algorithm>

#include "sim/engine.hpp"

namespace tutti::inline search {

LeastTimes::LeastTimes(const Goal& goal)
    // The sender of an eager message is free before the message has arrived.
    : ports_(goal.machine->setup.eager_bytes >= 0 ? kUnlimitedPorts : goal.machine->setup.ports) {
  if (goal.problem.ranks > kMostRanks) {
    return;
  }
  ranks_ = goal.problem.ranks;
  ways_.resize(std::size_t{ranks_} * ranks_);
  for (Rank src = 0; src < ranks_; ++src) {
    for (Rank dst = 0; dst < ranks_; ++dst) {
      if (src == dst) {
        continue;
      }
      const NetworkRoute route =
          goal.network->route(goal.host_of_rank[src], goal.host_of_rank[dst]);
      const RouteFigures& figures = *route.figures;
      Way& way = ways_[std::size_t{src} * ranks_ + dst];
      way.latency_s = figures.latency_s;
      way.s_per_byte = 1 / std::min(figures.alone_bytes_per_s, figures.cap_bytes_per_s);
      way.first_use = static_cast<std::uint32_t>(uses_.size());
      for (const Hop& hop : route.hops) {
        const NetworkLink& link = goal.network->links()[hop.link()];
        if (!link.fatpipe) {
          uses_.push_back(
              {hop.link(), static_cast<float>(hop.consumption(false) /
                                              (figures.efficiency * link.capacity_bytes_per_s))});
        }
      }
      way.end_use = static_cast<std::uint32_t>(uses_.size());
    }
  }
  links_ = goal.network->links().size();
}

double LeastTimes::of(const Schedule& schedule) const {
  if (ranks_ == 0) {
    return 0;
  }
  std::vector<double> busy_s(links_);
  std::vector<double> sends_s(ranks_);
  std::vector<double> receives_s(ranks_);
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (op.kind() != OpKind::comm) {
      continue;
    }
    const Way& way = ways_[std::size_t{op.src()} * ranks_ + op.dst()];
    const double bytes = static_cast<double>(op.bytes());
    for (std::uint32_t use = way.first_use; use < way.end_use; ++use) {
      busy_s[uses_[use].link] += bytes * uses_[use].s_per_byte;
    }
    const double alone_s = way.latency_s + bytes * way.s_per_byte;
    sends_s[op.src()] += alone_s;
    receives_s[op.dst()] += alone_s;
  }
  double least_s = busy_s.empty() ? 0 : std::ranges::max(busy_s);
  if (ports_ != kUnlimitedPorts) {
    least_s = std::max(
        {least_s, std::ranges::max(sends_s) / ports_, std::ranges::max(receives_s) / ports_});
  }
  constexpr double kRounding = 1e-6;  // of single precision
  return least_s * (1 - kRounding);
}

}  // namespace tutti::inline search
