// The blocks of a schedule for one size, for another size.
#pragma once

#include <cstdint>
#include <optional>

#include "schedules/block_layout.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules {

// How the blocks of a layout follow the size of the vector.
struct BlockScale {
  enum class Kind : std::uint8_t {
    even,    // an even split of the vector
    equal,   // blocks of one size, and empty ones
    others,  // for other sizes, an even split
  };
  Kind kind = Kind::others;
  std::uint32_t filled = 0;  // number of blocks that are not empty
};
[[nodiscard]] BlockScale block_scale(const BlockLayout& layout, const Problem& problem);

// Returns the layout for another size: an even split stays even, and empty blocks between equal
// ones stay empty. Returns nothing if equal blocks would not be whole elements.
[[nodiscard]] std::optional<BlockLayout> scaled_layout(const BlockLayout& layout,
                                                       const Problem& from, const Problem& to);

}}  // namespace tutti::schedules
