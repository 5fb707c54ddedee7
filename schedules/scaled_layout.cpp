#include "schedules/scaled_layout.hpp"

#include <vector>

namespace tutti { inline namespace schedules {

BlockScale block_scale(const BlockLayout& layout, const Problem& problem) {
  const std::uint64_t elements = problem.vector_bytes() / problem.element_bytes;
  // In alltoallv, the bytes of each rank are split evenly, so the number of blocks describes the
  // layout only if this split also divides the whole vector evenly.
  if ((problem.collective != Collective::alltoallv ||
       (elements % layout.blocks() == 0 && elements == problem.elements() * problem.ranks)) &&
      layout == BlockLayout::even(elements, layout.blocks(), problem.element_bytes)) {
    return {BlockScale::Kind::even, layout.blocks()};
  }
  BlockScale scale{BlockScale::Kind::equal, 0};
  std::uint64_t filled_bytes = 0;
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    const std::uint64_t bytes = layout.size_bytes(block);
    if (bytes == 0) {
      continue;
    }
    if (scale.filled > 0 && bytes != filled_bytes) {
      return {};
    }
    filled_bytes = bytes;
    ++scale.filled;
  }
  return scale;
}

std::optional<BlockLayout> scaled_layout(const BlockLayout& layout, const Problem& from,
                                         const Problem& to) {
  const BlockScale scale = block_scale(layout, from);
  if (scale.kind != BlockScale::Kind::equal) {
    return BlockLayout::even(to.elements(), layout.blocks(), to.element_bytes);
  }
  if (to.elements() % scale.filled != 0) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> elements;
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    elements.push_back(layout.size_bytes(block) == 0 ? 0 : to.elements() / scale.filled);
  }
  return BlockLayout::irregular(elements, to.element_bytes);
}

}}  // namespace tutti::schedules
