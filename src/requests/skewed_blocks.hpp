// Blocks of falling size, for --block-skew.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::inline requests {

// Elements of each of `blocks` blocks that together hold `elements`. Block i is weighted
// (1 + skew)^-i: 0 makes them equal, 1 halves them from one to the next, and a huge skew puts
// everything into the first one. What is left over after rounding down goes to the blocks that lost
// most, so sizes never rise. Equal ones are left to the even split: the result is then empty.
[[nodiscard]] std::vector<std::uint64_t> skewed_blocks(std::uint64_t elements, std::uint32_t blocks,
                                                       double skew);

}  // namespace tutti::inline requests
