// Pieces of the sentences in which findings are told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/schedule.hpp"

namespace tutti::inline schedules {

// "block 3 of work", "blocks 0 to 3 and 7 of scratch slot 2". `indices` in any order; those of
// scratch count through its slots.
[[nodiscard]] std::string blocks_text(const Schedule& schedule, Buffer buffer,
                                      std::vector<std::uint32_t> indices);

// What `id` does with what it reads, or writes: "sends block 0 of work to rank 2".
[[nodiscard]] std::string reading_text(const Schedule& schedule, OpId id, Buffer buffer,
                                       const std::vector<std::uint32_t>& indices);

// The indices of `buffer` that `id` touches at `rank`, ascending.
[[nodiscard]] std::vector<std::uint32_t> touched(const Schedule& schedule, OpId id, Rank rank,
                                                 Buffer buffer, bool only_written);

}  // namespace tutti::inline schedules
