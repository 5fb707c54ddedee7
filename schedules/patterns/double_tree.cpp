#include "schedules/patterns/double_tree.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "schedules/patterns/segments.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::uint64_t kDefaultSegmentBytes = 64 * 1024;

// Returns the children of rank r in tree 1, ascending.
std::vector<std::uint32_t> children(std::uint32_t r, std::uint32_t p) {
  std::vector<std::uint32_t> found;
  if (r == 0) {
    if (p > 1) {
      found.push_back(std::bit_floor(p - 1));
    }
    return found;
  }
  const std::uint32_t half = (r & ~(r - 1)) / 2;
  if (half == 0) {
    return found;
  }
  found.push_back(r - half);
  for (std::uint32_t above = half; above > 0; above /= 2) {
    if (r + above < p) {
      found.push_back(r + above);
      break;
    }
  }
  return found;
}

template <typename RankOf>
RootedTree tree_of(std::uint32_t p, RankOf&& rank_of) {
  RootedTree tree;
  tree.fan_out = 2;
  tree.edges.reserve(p - 1);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> queue{{0, 0}};  // (rank in tree 1, level)
  queue.reserve(p);
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto [parent, level] = queue[at];
    std::uint32_t number = 0;
    for (const std::uint32_t child : children(parent, p)) {
      tree.edges.push_back({rank_of(parent), rank_of(child), level, number++});
      queue.emplace_back(child, level + 1);
      tree.levels = level + 1;
    }
  }
  TUTTI_INVARIANT(tree.edges.size() == p - 1);
  return tree;
}

std::uint64_t segments_of_half(const Problem& problem) {
  return segment_count((problem.elements() + 1) / 2,
                       segment_elements(problem, kDefaultSegmentBytes));
}

}  // namespace

std::array<RootedTree, 2> double_tree(std::uint32_t ranks, Rank root) {
  const auto rank = [&](std::uint64_t relative) {
    return static_cast<Rank>((root + relative) % ranks);
  };
  return {tree_of(ranks, rank), tree_of(ranks, [&](std::uint32_t r) {
            return rank(ranks % 2 == 0 ? ranks - 1 - r : r + 1);
          })};
}

Rank root_of(const RootedTree& tree, Rank if_alone) {
  return tree.edges.empty() ? if_alone : tree.edges.front().parent;
}

BlockLayout double_tree_layout(const Problem& problem) {
  const std::uint64_t count = segments_of_half(problem);
  const std::uint64_t longest = segment_elements(problem, kDefaultSegmentBytes);
  std::vector<std::uint64_t> sizes;
  sizes.reserve(2 * count);
  for (std::uint64_t left : {(problem.elements() + 1) / 2, problem.elements() / 2}) {
    for (std::uint64_t segment = 0; segment < count; ++segment) {
      sizes.push_back(std::min(left, longest));
      left -= sizes.back();
    }
  }
  return BlockLayout::irregular(sizes, problem.element_bytes);
}

std::optional<Sentence> refuse_double_tree(const Problem& problem) {
  if (problem.segment_bytes > problem.bytes) {
    return sentence("a segment of {} bytes is larger than the vector of {} bytes",
                    problem.segment_bytes, problem.bytes);
  }
  // Label segments distinguish the two halves, and the two children of a rank.
  constexpr std::uint64_t kMost = kMaxSegment / 4;
  if (const std::uint64_t segments = segments_of_half(problem); segments > kMost) {
    return sentence(
        "segments of {} bytes cut half of the vector into {} segments, more than {}; use "
        "a larger $segment",
        segment_elements(problem, kDefaultSegmentBytes) * problem.element_bytes, segments, kMost);
  }
  return std::nullopt;
}

}}  // namespace tutti::schedules
