// How a vector is split into blocks. All code that splits a vector uses BlockLayout.
#pragma once

#include <cstdint>
#include <vector>

#include "schedules/op.hpp"

namespace tutti { inline namespace schedules {

// A split of `elements` elements of `element_bytes` bytes each into `blocks` blocks. The even split
// makes the first `elements mod blocks` blocks one element longer. Blocks may be empty.
class BlockLayout {
 public:
  BlockLayout() = default;

  // Returns the even split. Throws UserError if the vector's size in bytes overflows 64 bits,
  // InvariantError if `blocks` is 0.
  static BlockLayout even(std::uint64_t elements, std::uint32_t blocks,
                          std::uint32_t element_bytes);
  // Returns the layout of a pipeline: blocks of `block_elements` elements, called segments. The
  // last block is shorter if `block_elements` does not divide `elements`. If `elements` is 0, there
  // is one empty block.
  static BlockLayout segmented(std::uint64_t elements, std::uint64_t block_elements,
                               std::uint32_t element_bytes);
  // Returns a layout with blocks of ceil(elements / blocks) elements, except the last ones, which
  // are shorter or empty.
  static BlockLayout rounded_up(std::uint64_t elements, std::uint32_t blocks,
                                std::uint32_t element_bytes);
  // Returns a layout with the given numbers of elements per block, like the recvcounts of
  // MPI_Reduce_scatter.
  static BlockLayout irregular(const std::vector<std::uint64_t>& block_elements,
                               std::uint32_t element_bytes);

  [[nodiscard]] std::uint32_t blocks() const { return blocks_; }
  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  [[nodiscard]] std::uint32_t element_bytes() const { return element_bytes_; }
  [[nodiscard]] std::uint64_t bytes() const { return elements_ * element_bytes_; }
  // True if all blocks have the same size; published formulas then hold exactly.
  [[nodiscard]] bool uniform() const;

  // Returns the offset of block `block` in bytes. offset_bytes(blocks()) is the size of the vector.
  [[nodiscard]] std::uint64_t offset_bytes(std::uint32_t block) const {
    if (!offsets_.empty()) [[unlikely]] {
      return offsets_[block];
    }
    const std::uint64_t start = block * quotient_ + (block < remainder_ ? block : remainder_);
    return (start < elements_ ? start : elements_) * element_bytes_;
  }
  [[nodiscard]] std::uint64_t size_bytes(std::uint32_t block) const {
    return offset_bytes(block + 1) - offset_bytes(block);
  }
  // Returns the number of bytes in `count` consecutive blocks from block `first` on, which may wrap
  // around to block 0. `first` must be less than blocks(), and `count` at most blocks().
  [[nodiscard]] std::uint64_t run_bytes(std::uint32_t first, std::uint32_t count) const {
    const std::uint64_t end = std::uint64_t{first} + count;
    if (end <= blocks_) {
      return offset_bytes(static_cast<std::uint32_t>(end)) - offset_bytes(first);
    }
    return bytes() - offset_bytes(first) + offset_bytes(static_cast<std::uint32_t>(end - blocks_));
  }
  // Returns the number of bytes in any set of blocks; `set` may be in a scratch slot.
  [[nodiscard]] std::uint64_t set_bytes(const BlockSet& set) const {
    const std::uint32_t first = set.first < blocks_ ? set.first : set.first % blocks_;
    return set.contiguous() ? run_bytes(first, set.count) : strided_bytes(first, set);
  }

  // Two layouts are equal if their blocks have equal sizes, no matter which functions made them.
  friend bool operator==(const BlockLayout& a, const BlockLayout& b);

 private:
  [[nodiscard]] std::uint64_t strided_bytes(std::uint32_t first, const BlockSet& set) const;

  std::uint32_t blocks_ = 1;
  std::uint32_t element_bytes_ = 1;
  std::uint64_t elements_ = 0;
  std::uint64_t quotient_ = 0;
  std::uint64_t remainder_ = 0;
  // Offset of each block, and then the size of the vector, all in bytes. Empty if the members above
  // describe the layout.
  std::vector<std::uint64_t> offsets_;
};

// Calls visit(first_block, count) for each run of `set`, in order. A run that wraps around is
// visited in two pieces. A run in scratch slot s wraps around within that slot.
template <typename Visit>
void for_each_run(const BlockSet& set, std::uint32_t blocks, Visit&& visit) {
  const std::uint32_t base = set.first / blocks * blocks;
  std::uint64_t start = set.first - base;
  std::uint32_t left = set.count;
  const std::uint32_t run = set.contiguous() ? set.count : set.run;
  while (left > 0) {
    const std::uint32_t length = run < left ? run : left;
    const auto at = static_cast<std::uint32_t>(start % blocks);
    const std::uint32_t before_wrap = blocks - at < length ? blocks - at : length;
    visit(base + at, before_wrap);
    if (before_wrap < length) {
      visit(base, length - before_wrap);
    }
    start += set.stride;
    left -= length;
  }
}

// Calls visit(block) for each block of `set`, in order.
template <typename Visit>
void for_each_block(const BlockSet& set, std::uint32_t blocks, Visit&& visit) {
  for_each_run(set, blocks, [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      visit(first + i);
    }
  });
}

}}  // namespace tutti::schedules
