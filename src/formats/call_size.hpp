// The size of a call for people: n, and the block that every rank has of it.
#pragma once

#include <cstdint>
#include <string>

#include "schedules/collective.hpp"

namespace tutti::inline formats {

// Whether benchmarks give the size of a block, which is what a rank sends to or gets from each
// other rank: OSU's and Intel's do so for all collectives whose ranks own parts, except
// reduce_scatter.
[[nodiscard]] bool benchmarks_count_blocks(Collective collective);

// "64 bytes", of the largest block.
[[nodiscard]] std::string block_in_words(std::uint64_t bytes, std::uint32_t ranks);
// "64 KiB"; "64 KiB (64 bytes for each rank)" where every rank owns a part.
[[nodiscard]] std::string call_size(Collective collective, std::uint64_t bytes,
                                    std::uint32_t ranks);

}  // namespace tutti::inline formats
