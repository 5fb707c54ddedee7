// The statements by which a program splits the vector into blocks: `blocks`, `segments` and
// `block_bytes`.
#pragma once

#include <cstdint>

#include "schedules/block_layout.hpp"
#include "schedules/notation/program/lists.hpp"
#include "schedules/notation/program/run_state.hpp"
#include "schedules/problem.hpp"

namespace tutti { inline namespace schedules { namespace program {

// The functions below report errors through `state`, which knows the place in the program.
[[nodiscard]] BlockLayout split_evenly(const Problem& problem, std::int64_t blocks,
                                       const RunState& state);
[[nodiscard]] BlockLayout split_in_segments(const Problem& problem, std::int64_t segment_bytes,
                                            const RunState& state);
[[nodiscard]] BlockLayout split_in_sizes(const Problem& problem, const Numbers& sizes_bytes,
                                         const RunState& state);
// Returns the size in bytes of `count` blocks from block `first` on.
[[nodiscard]] std::int64_t bytes_of_blocks(const BlockLayout& layout, std::int64_t first,
                                           std::int64_t count, const RunState& state);

}}}  // namespace tutti::schedules::program
