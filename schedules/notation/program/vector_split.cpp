#include "schedules/notation/program/vector_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules { namespace program {

namespace {

constexpr std::uint32_t kMostBlocks = 1U << 24U;

void check_blocks(std::int64_t blocks, const RunState& state) {
  if (blocks < 1 || blocks > kMostBlocks) {
    state.fail(fmt::format("{} blocks: a vector has 1 to {}", blocks, kMostBlocks));
  }
}

// Returns the unit in which blocks of these sizes are counted: an element, or a byte. A broadcast
// may be cut anywhere, even within elements, because no rank reduces or owns a part of the vector.
std::uint32_t unit_of_sizes(const Problem& problem, const Numbers& sizes_bytes,
                            const RunState& state) {
  for (const std::int64_t bytes : sizes_bytes) {
    if (bytes < 0 ||
        (bytes % problem.element_bytes != 0 && problem.collective != Collective::bcast)) {
      state.fail(fmt::format("{} bytes are not a whole number of {}-byte elements", bytes,
                             problem.element_bytes));
    }
  }
  const bool whole = std::ranges::all_of(
      sizes_bytes, [&problem](std::int64_t bytes) { return bytes % problem.element_bytes == 0; });
  return whole ? problem.element_bytes : 1;
}

}  // namespace

BlockLayout split_evenly(const Problem& problem, std::int64_t blocks, const RunState& state) {
  check_blocks(blocks, state);
  return BlockLayout::even(problem.elements(), static_cast<std::uint32_t>(blocks),
                           problem.element_bytes);
}

BlockLayout split_in_segments(const Problem& problem, std::int64_t segment_bytes,
                              const RunState& state) {
  const std::uint32_t unit = unit_of_sizes(problem, {segment_bytes}, state);
  const std::uint64_t size = static_cast<std::uint64_t>(segment_bytes) / unit;
  if (size == 0) {
    state.fail("segments of 0 bytes: a segment must have at least one element");
  }
  const std::uint64_t units = problem.bytes / unit;
  check_blocks(static_cast<std::int64_t>(segment_count(units, size)), state);
  return BlockLayout::segmented(units, size, unit);
}

BlockLayout split_in_sizes(const Problem& problem, const Numbers& sizes_bytes,
                           const RunState& state) {
  check_blocks(std::ssize(sizes_bytes), state);
  const std::uint32_t unit = unit_of_sizes(problem, sizes_bytes, state);
  const std::uint64_t units = problem.bytes / unit;
  std::vector<std::uint64_t> sizes;
  sizes.reserve(sizes_bytes.size());
  std::uint64_t sum = 0;
  for (const std::int64_t bytes : sizes_bytes) {
    sizes.push_back(static_cast<std::uint64_t>(bytes) / unit);
    sum += sizes.back();
    if (sum > units) {
      // Stops here, because the sum might overflow.
      break;
    }
  }
  if (sum != units) {
    state.fail(fmt::format("the sizes of the blocks do not add up to the vector's {} bytes",
                           problem.bytes));
  }
  return BlockLayout::irregular(sizes, unit);
}

std::int64_t bytes_of_blocks(const BlockLayout& layout, std::int64_t first, std::int64_t count,
                             const RunState& state) {
  if (first < 0 || first >= layout.blocks()) {
    state.fail(fmt::format("block {}: the blocks are 0 to {}", first, layout.blocks() - 1));
  }
  if (count < 0 || count > layout.blocks()) {
    state.fail(fmt::format("{} blocks: must be 0 to {}", count, layout.blocks()));
  }
  return static_cast<std::int64_t>(
      layout.run_bytes(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)));
}

}}}  // namespace tutti::schedules::program
