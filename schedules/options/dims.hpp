// The grid in which algorithms for tori see the ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline schedules {

// Rank r stands at (r mod d0, r / d0 mod d1, ...): the first dimension varies fastest.
struct Dims {
  std::vector<std::uint32_t> sizes;  // none: the algorithm's default

  friend bool operator==(const Dims&, const Dims&) = default;
};

// "4x4x2". Throws UserError for what is no such list of sizes of 1 and more, or has more than 8.
[[nodiscard]] Dims parse_dims(std::string_view text);
// "" where there are no sizes.
[[nodiscard]] std::string to_text(const Dims& dims);
// The grid that is nearest to a cube: of `dimensions` dimensions whose product is `ranks`, the
// largest first.
[[nodiscard]] Dims balanced_dims(std::uint32_t ranks, std::uint32_t dimensions);

}  // namespace tutti::inline schedules
