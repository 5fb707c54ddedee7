// Formats the size of a collective call: the vector, and the block of each rank.
#pragma once

#include <cstdint>
#include <string>

#include "schedules/collective.hpp"

namespace tutti::inline formats {

// True if benchmarks report the size of a block: what a rank sends to, or receives from, each other
// rank. OSU's and Intel's benchmarks do so for all collectives whose ranks own parts, except
// reduce_scatter.
[[nodiscard]] bool benchmarks_count_blocks(Collective collective);

// Returns the size of the largest block as text: "64 bytes".
[[nodiscard]] std::string block_in_words(std::uint64_t bytes, std::uint32_t ranks);
// Returns the size of the vector as text: "64 KiB", or "64 KiB (64 bytes for each rank)" if every
// rank owns a part of the vector.
[[nodiscard]] std::string call_size(Collective collective, std::uint64_t bytes,
                                    std::uint32_t ranks);

}  // namespace tutti::inline formats
