// Computes blocks of decreasing size, for --block-skew.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::inline requests {

// Returns the number of elements in each of `blocks` blocks, `elements` in total. Block i has the
// weight (1 + skew)^-i: with a skew of 1, each block is half as large as the one before it; a huge
// skew puts all elements into the first block. Elements left over after rounding down go to the
// blocks that lost the most by rounding, so no block is larger than the one before it. A skew of 0
// means equal blocks: the result is then empty, and the caller splits evenly.
[[nodiscard]] std::vector<std::uint64_t> skewed_blocks(std::uint64_t elements, std::uint32_t blocks,
                                                       double skew);

}  // namespace tutti::inline requests
