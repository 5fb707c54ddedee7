#include "src/search/rank_routes.hpp"

#include <algorithm>

namespace tutti { inline namespace search {

RankRoutes::RankRoutes(const Goal& goal, bool reversed)
    : ranks_(goal.problem.ranks), routes_(std::size_t{ranks_} * ranks_) {
  double longest_s = 0;
  for (Rank src = 0; src < ranks_; ++src) {
    for (Rank dst = 0; dst < ranks_; ++dst) {
      if (src == dst) {
        continue;
      }
      const std::uint32_t src_host = goal.host_of_rank[reversed ? dst : src];
      const std::uint32_t dst_host = goal.host_of_rank[reversed ? src : dst];
      const NetworkRoute found = goal.network->route(src_host, dst_host);
      RankRoute& route = routes_[std::size_t{src} * ranks_ + dst];
      route.latency_s = found.figures->latency_s;
      route.bytes_per_s =
          std::min(found.figures->alone_bytes_per_s, found.figures->cap_bytes_per_s);
      longest_s = std::max(longest_s, route.latency_s);
      route.first_link = static_cast<std::uint32_t>(links_.size());
      for (const Hop& hop : found.hops) {
        if (!goal.network->links()[hop.link()].fatpipe) {
          links_.insert(links_.end(), hop.forward(), hop.link());
        }
      }
      route.end_link = static_cast<std::uint32_t>(links_.size());
    }
  }
  for (RankRoute& route : routes_) {
    route.distance = longest_s > 0 ? route.latency_s / longest_s : 0;
  }
  for (const NetworkLink& link : goal.network->links()) {
    capacity_.push_back(link.capacity_bytes_per_s);
  }
}

}}  // namespace tutti::search
