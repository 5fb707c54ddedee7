// Shortest routes in a zone with routing="Floyd". Among routes with the same number of links, the
// choice is that of SimGrid 3.32; tests compare the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti { inline namespace platforms {

// The links of each route, in the order in which the route crosses them. Routes are ordered by
// source, then by destination. If two points have no route, their list is empty.
using RouteTable = std::vector<std::vector<std::uint32_t>>;

// Returns the routes between the points `ends`, which may lead over all `points` points. `given`
// has the routes in the file, between all points. Returns nothing if the routes have more than
// `most_links` links in all.
[[nodiscard]] std::optional<RouteTable> floyd_routes(const RouteTable& given, std::uint32_t points,
                                                     std::span<const std::uint32_t> ends,
                                                     std::size_t most_links);

}}  // namespace tutti::platforms
