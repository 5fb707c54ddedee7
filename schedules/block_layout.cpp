#include "schedules/block_layout.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/error.hpp"

namespace tutti { inline namespace schedules {

namespace {

void check_size(std::uint64_t elements, std::uint32_t element_bytes) {
  if (elements > std::numeric_limits<std::uint64_t>::max() / element_bytes) {
    throw UserError(fmt::format("the size of {} elements of {} bytes does not fit in 64 bits",
                                elements, element_bytes));
  }
}

}  // namespace

BlockLayout BlockLayout::even(std::uint64_t elements, std::uint32_t blocks,
                              std::uint32_t element_bytes) {
  TUTTI_INVARIANT(blocks > 0 && element_bytes > 0);
  check_size(elements, element_bytes);
  BlockLayout layout;
  layout.blocks_ = blocks;
  layout.element_bytes_ = element_bytes;
  layout.elements_ = elements;
  layout.quotient_ = elements / blocks;
  layout.remainder_ = elements % blocks;
  return layout;
}

BlockLayout BlockLayout::segmented(std::uint64_t elements, std::uint64_t block_elements,
                                   std::uint32_t element_bytes) {
  TUTTI_INVARIANT(block_elements > 0);
  const std::uint64_t blocks = elements == 0 ? 1 : (elements - 1) / block_elements + 1;
  TUTTI_INVARIANT(blocks < kNoOp);
  BlockLayout layout = even(elements, static_cast<std::uint32_t>(blocks), element_bytes);
  layout.quotient_ = block_elements;
  layout.remainder_ = 0;
  return layout;
}

BlockLayout BlockLayout::rounded_up(std::uint64_t elements, std::uint32_t blocks,
                                    std::uint32_t element_bytes) {
  BlockLayout layout = even(elements, blocks, element_bytes);
  layout.quotient_ += layout.remainder_ > 0 ? 1 : 0;
  layout.remainder_ = 0;
  return layout;
}

BlockLayout BlockLayout::irregular(const std::vector<std::uint64_t>& block_elements,
                                   std::uint32_t element_bytes) {
  TUTTI_INVARIANT(!block_elements.empty() && element_bytes > 0);
  BlockLayout layout;
  layout.blocks_ = static_cast<std::uint32_t>(block_elements.size());
  layout.element_bytes_ = element_bytes;
  layout.offsets_.reserve(block_elements.size() + 1);
  layout.offsets_.push_back(0);
  for (const std::uint64_t elements : block_elements) {
    if (elements > std::numeric_limits<std::uint64_t>::max() - layout.elements_) {
      throw UserError("the sum of the block sizes does not fit in 64 bits");
    }
    layout.elements_ += elements;
    check_size(layout.elements_, element_bytes);
    layout.offsets_.push_back(layout.elements_ * element_bytes);
  }
  return layout;
}

bool BlockLayout::uniform() const {
  if (offsets_.empty()) {
    return elements_ == quotient_ * blocks_;
  }
  for (std::uint32_t block = 1; block < blocks_; ++block) {
    if (size_bytes(block) != size_bytes(0)) {
      return false;
    }
  }
  return true;
}

bool operator==(const BlockLayout& a, const BlockLayout& b) {
  if (a.blocks_ != b.blocks_ || a.elements_ != b.elements_ ||
      a.element_bytes_ != b.element_bytes_) {
    return false;
  }
  if (a.quotient_ == b.quotient_ && a.remainder_ == b.remainder_ && a.offsets_ == b.offsets_) {
    return true;
  }
  for (std::uint32_t block = 1; block < a.blocks_; ++block) {
    if (a.offset_bytes(block) != b.offset_bytes(block)) {
      return false;
    }
  }
  return true;
}

std::uint64_t BlockLayout::strided_bytes(std::uint32_t first, const BlockSet& set) const {
  if (offsets_.empty() && remainder_ == 0 && quotient_ * blocks_ == elements_) {
    return set.count * quotient_ * element_bytes_;
  }
  std::uint64_t sum = 0;
  for_each_run({first, set.count, set.run, set.stride}, blocks_,
               [&](std::uint32_t start, std::uint32_t count) { sum += run_bytes(start, count); });
  return sum;
}

}}  // namespace tutti::schedules
