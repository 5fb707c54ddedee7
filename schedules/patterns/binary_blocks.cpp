#include "schedules/patterns/binary_blocks.hpp"

#include <bit>

#include "schedules/patterns/arithmetic.hpp"

namespace tutti { inline namespace schedules {

BinaryBlocks::BinaryBlocks(const Problem& problem, ScheduleBuilder& builder, End end)
    : width_(power_of_two_below(problem.ranks)), root_(problem.root), rounds_(builder) {
  std::size_t exchanges = 0;
  // Number of messages of merge(): each rank of a block receives one from the next smaller block.
  std::size_t merged = 0;
  Rank first = 0;
  for (std::uint32_t levels = floor_log2(problem.ranks) + 1; levels-- > 0;) {
    if ((problem.ranks >> levels & 1U) == 0) {
      continue;
    }
    if (!blocks_.empty()) {
      merged += blocks_.back().ranks();
    }
    blocks_.push_back({first, levels});
    first += 1U << levels;
    exchanges += std::size_t{levels} << levels;
  }
  const std::size_t last =
      end == End::everywhere ? exchanges + merged : width_ - 1U + (root_ < width_ ? 0U : 1U);
  builder.reserve(2 * (exchanges + merged) + last, 9 * (exchanges + merged));
}

std::string_view BinaryBlocks::same_as(const Problem& problem) {
  return std::has_single_bit(problem.ranks) ? "rabenseifner" : "";
}

BlockSet BinaryBlocks::segment(std::uint32_t v, std::uint32_t levels) const {
  BlockSet held{0, width_};
  for (std::uint32_t level = 0; level < levels; ++level) {
    held.count /= 2;
    held.first += (v >> level & 1U) * held.count;
  }
  return held;
}

// Calls visit(block, v) for each rank v of each block whose ranks exchange at this level.
template <typename Visit>
void BinaryBlocks::for_each_exchange(std::uint32_t level, Visit&& visit) const {
  for (const Block& block : blocks_) {
    for (std::uint32_t v = 0; level < block.levels && v < block.ranks(); ++v) {
      visit(block, v);
    }
  }
}

void BinaryBlocks::reduce_scatter() {
  for (std::uint32_t level = 0; level < blocks_.front().levels; ++level) {
    const std::uint32_t bit = 1U << level;
    rounds_.next();
    for_each_exchange(level, [&](const Block& block, std::uint32_t v) {
      rounds_.comm(block.first + v, block.first + (v ^ bit),
                   {segment(v ^ bit, level + 1), kWork, kScratch});
    });
    for_each_exchange(level, [&](const Block& block, std::uint32_t v) {
      rounds_.reduce(block.first + v, {segment(v, level + 1), kScratch, kWork},
                     (v & bit) != 0 ? Operand::left : Operand::right);
    });
  }
}

// Rank u of the smaller block, which has 2^f ranks, holds the segments of those ranks of the larger
// block whose lowest f bits are u.
void BinaryBlocks::merge() {
  for (std::size_t i = blocks_.size() - 1; i > 0; --i) {
    const Block& small = blocks_[i];
    const Block& large = blocks_[i - 1];
    for (std::uint32_t v = 0; v < large.ranks(); ++v) {
      if (v % small.ranks() == 0) {
        rounds_.next();
      }
      const BlockSet held = segment(v, large.levels);
      rounds_.comm(small.first + v % small.ranks(), large.first + v, {held, kWork, kScratch});
      rounds_.reduce(large.first + v, {held, kScratch, kWork}, Operand::right);
    }
  }
}

void BinaryBlocks::spread() {
  for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) {
    const Block& large = blocks_[i];
    const Block& small = blocks_[i + 1];
    for (std::uint32_t v = 0; v < large.ranks(); ++v) {
      if (v % small.ranks() == 0) {
        rounds_.next();
      }
      rounds_.comm(large.first + v, small.first + v % small.ranks(),
                   {segment(v, large.levels), kWork, kWork});
    }
  }
}

void BinaryBlocks::allgather() {
  for (std::uint32_t level = blocks_.front().levels; level-- > 0;) {
    rounds_.next();
    for_each_exchange(level, [&](const Block& block, std::uint32_t v) {
      rounds_.comm(block.first + v, block.first + (v ^ 1U << level),
                   {segment(v, level + 1), kWork, kWork});
    });
  }
}

void BinaryBlocks::gather_to_root() {
  const std::uint32_t levels = blocks_.front().levels;
  const bool outside = root_ >= width_;
  const std::uint32_t virtual_root = outside ? 0 : root_;
  const auto rank_of = [&](std::uint32_t v) { return outside && v == 0 ? root_ : v; };
  if (outside) {
    rounds_.next();
    rounds_.comm(0, root_, {segment(0, levels), kWork, kWork});
  }
  for (std::uint32_t level = levels; level-- > 0;) {
    rounds_.next();
    for (std::uint32_t v = 0; v < width_; ++v) {
      // Only ranks that agree with the root in all higher bits take part. Half of them send.
      const std::uint32_t differs = v ^ virtual_root;
      if (differs >> level == 1) {
        rounds_.comm(rank_of(v), rank_of(v ^ 1U << level), {segment(v, level + 1), kWork, kWork});
      }
    }
  }
}

}}  // namespace tutti::schedules
