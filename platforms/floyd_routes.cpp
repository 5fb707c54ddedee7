#include "platforms/floyd_routes.hpp"

#include <limits>

namespace tutti { inline namespace platforms {

namespace {

constexpr std::uint64_t kNoRoute = std::numeric_limits<std::uint64_t>::max();

// The length of the shortest route between each two points, and the last point before its end.
struct ShortestRoutes {
  std::vector<std::uint64_t> length;
  std::vector<std::uint32_t> before;
};

// The order of the loops, and the strict comparison, decide between routes of the same length.
ShortestRoutes shortest_routes(const RouteTable& given, std::uint32_t points) {
  ShortestRoutes found{.length = std::vector(given.size(), kNoRoute),
                       .before = std::vector<std::uint32_t>(given.size())};
  for (std::size_t pair = 0; pair < given.size(); ++pair) {
    if (!given[pair].empty()) {
      found.length[pair] = given[pair].size();
      found.before[pair] = static_cast<std::uint32_t>(pair / points);
    }
  }
  for (std::size_t middle = 0; middle < points; ++middle) {
    for (std::size_t from = 0; from < points; ++from) {
      const std::uint64_t first = found.length[from * points + middle];
      for (std::size_t to = 0; first != kNoRoute && to < points; ++to) {
        const std::uint64_t second = found.length[middle * points + to];
        if (second != kNoRoute && first + second < found.length[from * points + to]) {
          found.length[from * points + to] = first + second;
          found.before[from * points + to] = found.before[middle * points + to];
        }
      }
    }
  }
  return found;
}

}  // namespace

std::optional<RouteTable> floyd_routes(const RouteTable& given, std::uint32_t points,
                                       std::span<const std::uint32_t> ends,
                                       std::size_t most_links) {
  const ShortestRoutes shortest = shortest_routes(given, points);
  RouteTable routes;
  std::size_t links = 0;
  for (const std::size_t from : ends) {
    for (const std::size_t to : ends) {
      std::vector<std::uint32_t>& route = routes.emplace_back();
      if (shortest.length[from * points + to] == kNoRoute) {
        continue;
      }
      // The parts of the route, last first. The loop runs at least once, because `from` may equal
      // `to`.
      std::vector<const std::vector<std::uint32_t>*> parts;
      std::size_t at = to;
      do {
        const std::size_t before = shortest.before[from * points + at];
        parts.push_back(&given[before * points + at]);
        links += parts.back()->size();
        at = before;
      } while (at != from && links <= most_links);
      if (links > most_links) {
        return std::nullopt;
      }
      for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        route.insert(route.end(), (*part)->begin(), (*part)->end());
      }
    }
  }
  return routes;
}

}}  // namespace tutti::platforms
