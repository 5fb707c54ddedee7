// The routes between the ranks of a goal, and the links that they share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/search/family.hpp"

namespace tutti { inline namespace search {

struct RankRoute {
  double latency_s = 0;
  double bytes_per_s = 0;  // of a message that is alone
  double distance = 0;     // latency_s as a share of the longest latency of any route
  std::uint32_t first_link = 0;
  std::uint32_t end_link = 0;
};

class RankRoutes {
 public:
  // With `reversed`, route(src, dst) is the route from dst to src: a reduction sends along trees
  // and matchings backwards.
  explicit RankRoutes(const Goal& goal, bool reversed = false);

  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] const RankRoute& route(Rank src, Rank dst) const {
    return routes_[std::size_t{src} * ranks_ + dst];
  }
  // Returns the links of the route that messages share; a link that is crossed several times comes
  // several times.
  [[nodiscard]] std::span<const std::uint32_t> links(const RankRoute& route) const {
    return {links_.data() + route.first_link, route.end_link - route.first_link};
  }
  // Returns the number of links, including those that no route has.
  [[nodiscard]] std::uint32_t all_links() const {
    return static_cast<std::uint32_t>(capacity_.size());
  }
  // In bytes per second.
  [[nodiscard]] double capacity(std::uint32_t link) const { return capacity_[link]; }

 private:
  std::uint32_t ranks_;
  std::vector<RankRoute> routes_;     // by sender and receiver
  std::vector<std::uint32_t> links_;  // of all routes
  std::vector<double> capacity_;      // of each link
};

}}  // namespace tutti::search
