// Blocks of decreasing size, for --block-skew.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::inline requests {

// Returns the elements of each of `blocks` blocks that together hold `elements`. Block i has the
// weight (1 + skew)^-i: 0 makes the blocks equal, 1 halves them from one to the next, and a huge
// skew puts everything into the first one. Elements left over after rounding down go to the blocks
// that lost most, so no block is larger than the one before it. For a skew of 0 the result is
// empty, because the even split applies.
[[nodiscard]] std::vector<std::uint64_t> skewed_blocks(std::uint64_t elements, std::uint32_t blocks,
                                                       double skew);

}  // namespace tutti::inline requests
