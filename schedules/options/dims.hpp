// The grid of ranks that algorithms for tori use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace schedules {

// The sizes d0, d1, ... of the grid. Rank r is at (r mod d0, r / d0 mod d1, ...): the first
// dimension varies fastest.
struct Dims {
  // If empty, the algorithm uses its default grid.
  std::vector<std::uint32_t> sizes;

  friend bool operator==(const Dims&, const Dims&) = default;
};

// Parses a grid such as "4x4x2". Throws UserError unless it is a list of 1 to 8 sizes, each at
// least 1.
[[nodiscard]] Dims parse_dims(std::string_view text);
// Returns "4x4x2"; "" if there are no sizes.
[[nodiscard]] std::string to_text(const Dims& dims);
// Returns a grid close to a cube: `dimensions` sizes whose product is `ranks`, the largest first.
[[nodiscard]] Dims balanced_dims(std::uint32_t ranks, std::uint32_t dimensions);

}}  // namespace tutti::schedules
