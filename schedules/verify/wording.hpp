// Parts of the sentences that describe findings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti { inline namespace schedules {

// Describes blocks: "block 3 of work", "blocks 0 to 3 and 7 of scratch slot 2". `indices` may be in
// any order; an index of scratch is slot * blocks + block.
[[nodiscard]] std::string blocks_text(const Schedule& schedule, Buffer buffer,
                                      std::vector<std::uint32_t> indices);

// Describes what operation `id` does with the blocks at `indices` of `buffer`: "sends block 0 of
// work to rank 2".
[[nodiscard]] std::string reading_text(const Schedule& schedule, OpId id, Buffer buffer,
                                       const std::vector<std::uint32_t>& indices);

// Returns the indices of `buffer` that operation `id` touches at `rank`, ascending. If
// `only_written`, returns only those that it writes.
[[nodiscard]] std::vector<std::uint32_t> touched(const Schedule& schedule, OpId id, Rank rank,
                                                 Buffer buffer, bool only_written);

}}  // namespace tutti::schedules
